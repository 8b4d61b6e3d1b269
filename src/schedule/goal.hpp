// SPDX-License-Identifier: BSD-3-Clause
// The schedules of a call as a GOAL program, the text that LogGOPSim and other simulators read.
//
//   num_ranks 2
//
//   rank 0 {
//     l0: recv 8b from 1 tag 0
//     l1: send 8b to 1 tag 0
//     l2: calc 0
//     l2 requires l0
//   }
//   …
//
// Labels are the schedule's task numbers, and the tag is the ordinal, so that each message between two ranks
// has a tag of its own and can meet one receive only. Copies, reductions and joins are calculations, in whole
// nanoseconds as GOAL has them; a comment says what a byte was taken to cost. What ranks do in shared memory
// has no word in GOAL.
//
// Hoefler, Siebert, Lumsdaine 2009: Group Operation Assembly Language.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "schedule/schedule.hpp"

namespace weft {

struct GoalCosts {
  double copy_ns_per_byte = 0;  // as the numbers behind `calc` say
  double reduce_ns_per_byte = 0;
  Bytes signal_bytes{};  // of a message without a payload
};

// schedules[r] is rank r's; all of one call. The error names the first task that shares memory.
Result<std::string> goal(std::span<const Schedule> schedules, const GoalCosts& costs = {});

}  // namespace weft
