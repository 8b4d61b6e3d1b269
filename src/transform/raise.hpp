// SPDX-License-Identifier: BSD-3-Clause
// Task lists as a schedule again: what they do, in the order that queues, waits and enabling guarantee and
// nothing else does. So the verifier judges the list itself, whatever it was made from.
//
// A wait becomes a join; of what stands behind it in its queue each task follows it. A calc to a peer becomes
// a reduction and the send that follows it. A write becomes two copies: into a buffer for what is in flight,
// and from there into the window; only later messages of its queue follow the second.
#pragma once

#include "base/result.hpp"
#include "schedule/task_list.hpp"

namespace weft {

// Fails where a list names what is not there, or can never come to its end whatever the peers do.
Result<Schedule> raise(const TaskList& list);

}  // namespace weft
