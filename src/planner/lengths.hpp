// SPDX-License-Identifier: BSD-3-Clause
// Lengths: from what size on a message is long, and what follows from that for how it travels. The planner's
// rules ask for it, and the parameters of what they choose.
#pragma once

#include <cstdint>

#include "collective/call.hpp"
#include "planner/placement.hpp"

namespace weft {

// With fewer ranks the tree sends the message hardly more often than an algorithm that cuts it into parts.
constexpr std::int64_t kFewestForParts = 4;

// From this share of each rank on bytes count more than rounds.
Bytes long_part(const Call& call, const Placement& placement);

// From this message on several ranks of each node lead parts of it.
Bytes led_by_several(const Call& call, const Placement& placement);

// Whether so many equals send all that they have at once, because messages take long. The values of an
// allreduce are then combined in the same order as otherwise; those of a reduce would not be.
bool may_have_few_rounds(const Call& call, std::int64_t members, const Placement& placement);

// A ring of n ranks sends n-1 messages to the right neighbour per time around.
bool may_go_around_twice(std::int64_t ranks);

}  // namespace weft
