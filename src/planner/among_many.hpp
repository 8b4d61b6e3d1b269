// SPDX-License-Identifier: BSD-3-Clause
// Among many: what is better for more than eight ranks, not all of one node. Rules for up to eight were found
// on machines; these come from maps of simulated ones (decision 13). A reduction follows them wherever its
// nodes are, since what is combined in which order must not depend on what a clock has measured (drop_in
// rule 7).
#pragma once

#include "collective/call.hpp"
#include "planner/placement.hpp"

namespace weft {

bool is_among_many(const Call& call, const Placement& placement);

// A reduction whose message is split, so that all ranks combine parts of it.
bool is_split_among_many(const Call& call, const Placement& placement);
bool is_whole_among_many(const Call& call, const Placement& placement);
// Whatever is sent is short, so that several go out at once, in fewer rounds. Of reductions in allreduce
// alone, whose groups exchange all with all.
bool is_shallow_among_many(const Call& call, const Placement& placement);

// From this message on several ranks of each node lead parts of it, and of such a length.
Bytes led_by_several_among_many(const Call& call, const Placement& placement);
Bytes part_of_leader_among_many(const Placement& placement);
// Whether parts of what a column sends travel, where it has so many nodes.
bool sends_parts_among_many(const Call& call, Bytes sent, std::int64_t nodes, const Placement& placement);

// What a node's ranks bring to an allgather fills messages, or is more than one rank has memory to collect.
bool fills_nodes_among_many(const Call& call, const Placement& placement);
bool has_short_result_among_many(const Call& call, const Placement& placement);

// An alltoall's blocks are so short that they are better sent on together.
bool is_forwarded_among_many(const Call& call, const Placement& placement);

// How a reduce_scatter goes in which what each rank gets is long: around a ring, where neighbours on it
// mostly share memory; straight, pair by pair, where nobody shares memory.
bool goes_around_among_many(const Call& call, const Placement& placement);
bool goes_straight_among_many(const Call& call, const Placement& placement);

}  // namespace weft
