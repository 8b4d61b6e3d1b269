// SPDX-License-Identifier: BSD-3-Clause
// The picture of task lists, as Graham et al. (SC 2011) draw their queues: per rank a column for each queue,
// the receives above a line, what is sent, waited for and enabled below it. Who waits points to what ends the
// wait, who enables to what may begin, and messages are arrows between ranks. Nothing stands above what has
// to come before it in the same list.
#pragma once

#include <span>
#include <string>

#include "schedule/task_list.hpp"

namespace weft {

// `lists`: those of some ranks of one call, drawn in this order. Messages to ranks that are not among them
// are left out.
std::string svg(std::span<const TaskList> lists);

}  // namespace weft
