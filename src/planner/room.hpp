// SPDX-License-Identifier: BSD-3-Clause
// Room: what algorithms take of a node's memory, and the fragments in which a long message fits there.
#pragma once

#include "algorithm/catalog.hpp"
#include "planner/placement.hpp"

namespace weft {

// A transport may have only so many bits to tell the messages of one operation between two ranks apart; 13
// bits in a message tag is the narrowest. So no schedule sends more than this from one rank to another.
inline constexpr std::int64_t kMessagesPerPair = 8191;

// Shorter fragments of a longer block are not worth the steps.
inline constexpr Bytes kLeastFragment{8 << 10};

// Whether values can climb a hierarchy, and a node's memory has room for them.
bool has_tiers(const Call& call, const Placement& placement);

// Whether somebody has asked for groups within the one node.
bool is_grouped(const Placement& placement);
bool climbs_groups(const Call& call, const Placement& placement);

// The numbers of a hierarchy's nodes, and of the ranks of the fullest; 1 rank each where nobody shares
// memory.
std::int64_t ranks_of_fullest_node(const Placement& placement);
std::int64_t node_count(const Call& call, const Placement& placement);

// The values of all ranks are together so short that each may have all of them.
bool has_short_result(const Call& call, const Placement& placement);

// On one node: whether ranks had better copy long messages once, from buffer to buffer. An agent that does so
// for a pair wakes once, and not for each fragment.
bool had_better_reach(const Call& call, const Placement& placement);

// Whether the kernel copies the host's messages, too, and faster than ranks would.
inline bool kernel_copies_messages(const Placement& placement) {
  return placement.kernel_is_faster && placement.single_copy;
}

// On one node: whether fragments of all that the ranks leave for one another fit into its memory, and are so
// few that the schedule does not become too long.
bool fits_fragments(const Call& call, const Placement& placement);
// The largest block that one rank leaves for another at once, instead of in fragments: more is copied from
// buffer to buffer, if two ranks can.
Bytes largest_left_at_once(const Call& call, const Placement& placement);

// Where blocks have sizes of their own: what a rank's room holds for each rank that it has something for.
Bytes share_of_pair(const Call& call, const Placement& placement);
// What is moved at a time of more than that; 0: had better travel as a message.
Bytes fragment_of_pair(const Call& call, const Placement& placement);

// The largest fragment that fits, for each rank.
Bytes fragment_within_node(const Call& call, const Placement& placement);

// On several nodes: whether the fragments of the leaders fit, each with its part of a message (see
// columns.hpp).
bool fits_columns(const Call& call, const Placement& placement);
// The fragment for all leaders of a node together; in an allgather, for each rank.
Bytes fragment_of_leaders(const Call& call, const Placement& placement);

// Whether an algorithm that follows a hierarchy can follow this one.
bool has_room(const Algorithm& algorithm, const Call& call, const Placement& placement);

}  // namespace weft
