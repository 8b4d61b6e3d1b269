// SPDX-License-Identifier: BSD-3-Clause
#include "planner/among_many.hpp"

#include "planner/room.hpp"
#include "topology/hierarchy.hpp"

namespace weft {

namespace {

constexpr int kMostMeasured = 8;

Bytes split_of(const Placement& placement) { return placement.thresholds.split; }

// What one rank gets of a reduce_scatter, on average.
Bytes own_block(const Call& call) {
  return call.collective == Collective::kReduceScatter ? call.bytes / call.rank_count : call.bytes;
}

}  // namespace

bool is_among_many(const Call& call, const Placement& placement) {
  if (call.rank_count <= kMostMeasured || placement.one_node) return false;
  return is_reduction(call.collective) || !placement.is_far;
}

bool is_split_among_many(const Call& call, const Placement& placement) {
  return is_among_many(call, placement) && is_reduction(call.collective) && call.bytes >= split_of(placement);
}
bool is_whole_among_many(const Call& call, const Placement& placement) {
  return is_among_many(call, placement) && is_reduction(call.collective) && call.bytes < split_of(placement);
}
bool is_shallow_among_many(const Call& call, const Placement& placement) {
  if (!is_among_many(call, placement)) return false;
  if (call.collective == Collective::kAllreduce) return call.bytes <= split_of(placement) / 4;
  return !is_reduction(call.collective) && call.bytes <= split_of(placement);
}

// A bcast has nothing to combine, only to send: several leaders save less, and pay later.
Bytes led_by_several_among_many(const Call& call, const Placement& placement) {
  constexpr int kMoreToBcast = 4;
  return split_of(placement) * (is_reduction(call.collective) ? 1 : kMoreToBcast);
}
// The shortest message that is split has four leaders on a node, who combine at the same time.
Bytes part_of_leader_among_many(const Placement& placement) { return split_of(placement) / 4; }
bool sends_parts_among_many(const Call& call, Bytes sent, std::int64_t nodes, const Placement& placement) {
  return is_reduction(call.collective) ? sent >= split_of(placement)
                                       : sent / nodes >= split_of(placement) / 2;
}

bool fills_nodes_among_many(const Call& call, const Placement& placement) {
  if (!is_among_many(call, placement) || !fits_columns(call, placement)) return false;
  const Bytes enough = split_of(placement) / (has_tiers(call, placement) ? 1 : 4);
  return call.bytes * ranks_of_fullest_node(placement) >= enough;
}
bool has_short_result_among_many(const Call& call, const Placement& placement) {
  return is_among_many(call, placement) && call.bytes * call.rank_count <= split_of(placement);
}

// Who has few peers saves few messages by it: on 16 ranks half as long a block is worth as much as on 32.
// Where ranks share memory, one of each node exchanges with those of others, which takes as many messages as
// there are nodes, and is worth it unless these are many and what they get from one another is short, too.
bool is_forwarded_among_many(const Call& call, const Placement& placement) {
  constexpr Bytes kSavedByEach{8}, kShortForNodes{512};
  constexpr int kManyNodes = 32;
  const Bytes longest = placement.thresholds.forwarded_block;
  if (!is_among_many(call, placement) || call.bytes > longest) return false;
  if (call.bytes > kSavedByEach * call.rank_count) return false;
  if (!has_tiers(call, placement)) return true;
  const std::int64_t ranks = ranks_of_fullest_node(placement);
  return node_count(call, placement) > kManyNodes && call.bytes * ranks * ranks <= kShortForNodes;
}

// On a ring only one rank of a node sends to another node; with few ranks on each the ring is slower.
bool goes_around_among_many(const Call& call, const Placement& placement) {
  constexpr int kFullNode = 8;
  const std::int64_t ranks = ranks_of_fullest_node(placement);
  return is_among_many(call, placement) && call.commutative && ranks >= kFullNode &&
         call.rank_count <= kMessagesPerPair && own_block(call) * ranks >= split_of(placement);
}
bool goes_straight_among_many(const Call& call, const Placement& placement) {
  return is_among_many(call, placement) && ranks_of_fullest_node(placement) == 1 &&
         own_block(call) >= split_of(placement);
}

}  // namespace weft
