// SPDX-License-Identifier: BSD-3-Clause
// Schedules as JSON for other programs: the call once, then every rank's buffers, groups and tasks.
#pragma once

#include <span>
#include <string>

#include "schedule/schedule.hpp"

namespace weft {

//   {"call": {"collective", "ranks", "root", "bytes", "element_bytes", "commutative"},
//    "schedules": [{"rank", "in_place", "algorithm", "buffers": [{"name", "role", "bytes"}], "groups":
//    [[ranks]],
//                   "tasks": [{"task", "kind", "source": {"buffer", "offset", "bytes"}, "target", "peer",
//                   "ordinal",
//                              "group", "beyond", "leader", "after": [tasks]}]}]}
// A task has the keys that mean something for its kind. `indent` < 0: all on one line.
std::string json(std::span<const Schedule> schedules, int indent = 2);

}  // namespace weft
