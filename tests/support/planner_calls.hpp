// SPDX-License-Identifier: BSD-3-Clause
// Calls for tests of the planner.
#pragma once

#include "collective/call.hpp"
#include "schedule/schedule.hpp"

namespace weft::tests {

inline Call call_of(Collective collective, int ranks, std::int64_t bytes, bool commutative = true) {
  return {.collective = collective,
          .rank_count = ranks,
          .bytes = Bytes(bytes),
          .element_bytes = Bytes(is_reduction(collective) ? 8 : 1),
          .commutative = commutative};
}

inline Bytes shared_by(const Schedule& schedule) { return rooms_of(schedule).taken(Room::kLarge); }

inline constexpr Collective kWithinNode[] = {Collective::kBarrier,   Collective::kBcast,
                                             Collective::kReduce,    Collective::kAllreduce,
                                             Collective::kAllgather, Collective::kAlltoall};

}  // namespace weft::tests
