// SPDX-License-Identifier: BSD-3-Clause
// ListSteps: what a schedule asks of an adapter, before it is laid into queues: its joins are gone, its
// receives are posted ahead wherever they can be, and a reduction that only goes to a peer is one step.
//
// A receive whose target is in use before it gets a mailbox of its own, and what reads or goes on writing its
// target does so there; if that reaches further than the mailbox can stand for, a copy over the loop-back
// moves it on. Longer messages have no mailbox: they wait for their target.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "schedule/schedule.hpp"

namespace weft {

struct ListStep {
  Task task;                         // recv, send, copy (into a window as well) or reduce
  bool sends_result = false;         // reduce: to the peer, with the ordinal; nobody here reads it
  bool is_late = false;              // recv: has to wait for what it follows; the others are posted ahead
  std::vector<std::uint32_t> after;  // steps that have to end before, in their order
};

struct ListSteps {
  std::vector<ListStep> steps;
  std::vector<Buffer> buffers;
  std::uint32_t mailbox_count = 0;
  Bytes mailbox_bytes;
};

// Fails for schedules with steps of a node's group, and for some that are too long.
Result<ListSteps> list_steps(const Schedule& schedule, Bytes longest_mailbox);

}  // namespace weft
