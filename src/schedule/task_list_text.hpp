// SPDX-License-Identifier: BSD-3-Clause
// Task lists as people see them: their queues side by side, as Graham et al. (SC 2011) draw them, and JSON.
#pragma once

#include <span>
#include <string>

#include "schedule/task_list.hpp"

namespace weft {

// Of one rank: what it needs, and a column per queue, the receives above the line.
std::string draw(const TaskList& list);

// "31 tasks in 1 list, 2 connections, 3 calcs, 4 over the loop-back, no mailboxes".
std::string describe(const ListCounts& counts);

// {"rank": 0, "form": …, "queues": […], "lists": [[…]], "counts": {…}}.
std::string json(std::span<const TaskList> lists, int indent = 2);

}  // namespace weft
