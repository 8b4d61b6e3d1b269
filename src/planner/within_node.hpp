// SPDX-License-Identifier: BSD-3-Clause
// Within a node: for which calls ranks that share memory, all of them, go through it, and how.
#pragma once

#include "collective/call.hpp"
#include "planner/placement.hpp"

namespace weft {

// What every rank leaves for others is so short that it is left at once.
bool is_short_in_node(const Call& call, const Placement& placement);
// Such a call of a collective in which each rank has to read the lines of all, among so few ranks that it
// does.
bool is_short_among_few(const Call& call, const Placement& placement);
// Such a call whose values may climb in groups, among so many ranks that they do.
bool is_crowded_node(const Call& call, const Placement& placement);

// A long message goes through a node's memory in fragments that are long enough for the steps they take.
bool fits_long_fragments(const Call& call, const Placement& placement);
// The same of so few ranks, with more to leave than goes at once.
bool fits_fragments_of_few(const Call& call, const Placement& placement);
// The same for what one rank leaves for all others.
bool fits_two_fragments_of_few(const Call& call, const Placement& placement);

// Ranks had better copy from buffer to buffer.
bool is_worth_reaching(const Call& call, const Placement& placement);

// Blocks of any size among so few ranks that all read the lines of all, unless all know that most are long.
bool has_shares_among_few(const Call& call, const Placement& placement);

}  // namespace weft
