// SPDX-License-Identifier: BSD-3-Clause
#include "planner/lengths.hpp"

#include "planner/among_many.hpp"
#include "planner/room.hpp"

namespace weft {

// Where messages are on their way for long, bytes count more than rounds only in longer ones. What is
// combined in which order must not depend on what a clock has measured (drop_in rule 7).
Bytes long_part(const Call& call, const Placement& placement) {
  if (call.collective == Collective::kBcast && is_among_many(call, placement))
    return placement.thresholds.split / 2;
  constexpr int kFar = 8;
  const bool is_longer = placement.is_far && !is_reduction(call.collective);
  return placement.thresholds.long_part * (is_longer ? kFar : 1);
}

Bytes led_by_several(const Call& call, const Placement& placement) {
  return is_among_many(call, placement) ? led_by_several_among_many(call, placement)
                                        : placement.thresholds.multi_leader;
}

bool may_have_few_rounds(const Call& call, std::int64_t members, const Placement& placement) {
  if (!placement.is_far) return false;
  if (call.collective == Collective::kAllreduce)
    return call.bytes * members <= placement.thresholds.collected;
  return !is_reduction(call.collective);
}

bool may_go_around_twice(std::int64_t ranks) { return 2 * (ranks - 1) <= kMessagesPerPair; }

}  // namespace weft
