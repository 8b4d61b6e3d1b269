// SPDX-License-Identifier: BSD-3-Clause
// The critical path of task lists: after how many steps the last rank has its result. A message is a step,
// and so is whatever is sent over the loop-back; waiting and enabling are none, and a calc that goes to a
// peer is the step of its message. So Kandalla et al. (IPDPS 2012, section IV B) count.
#pragma once

#include <span>

#include "schedule/schedule.hpp"

namespace weft {

// Of schedules that were raised from the lists of all ranks.
int critical_path(std::span<const Schedule> raised);

}  // namespace weft
