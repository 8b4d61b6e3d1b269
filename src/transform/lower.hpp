// SPDX-License-Identifier: BSD-3-Clause
// A schedule as task lists for an adapter.
//
//   0: recv 1 -> scratch.0                    loop-back                            QP 2
//   1: reduce scratch.0 -> output  after 0    wait QP 1                            wait loop-back
//   2: send output -> 2            after 1    calc scratch.0 (+) output            send output
//
// Local work is sent over the loop-back. What a task has to wait for becomes waits before it, but for what
// its queue knows already from earlier ones: whoever has ended, with all that it had waited for itself.
// Receives are posted at the beginning of their list; where that cannot be, see list_steps.hpp.
#pragma once

#include <cstdint>
#include <limits>

#include "base/result.hpp"
#include "schedule/task_list.hpp"

namespace weft {

struct Lowering {
  QueueForm form = QueueForm::kWaitsInSendQueues;
  Bytes longest_mailbox{8192};                                           // of longer receives none
  std::uint32_t most_tasks = std::numeric_limits<std::uint32_t>::max();  // of one list; at least 2
};

// Fails, and says why, for schedules with steps of a node's group.
Result<TaskList> lower(const Schedule& schedule, const Lowering& lowering);

}  // namespace weft
