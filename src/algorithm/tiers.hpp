// SPDX-License-Identifier: BSD-3-Clause
// Tiers: what the hierarchical algorithms share: one rank's way up and down a hierarchy, on which flat
// builders do the work of one tier each.
//
//   2 nodes of 4        reduce_up                  an algorithm            bcast_down
//   tier 1 network                                 0 ◄───────► 4
//   tier 0 node         0 ◄ 1 2 3   4 ◄ 5 6 7                              0 ► 1 2 3   4 ► 5 6 7
//
// Up, within a node, tier by tier: fan-ins of the groups, each on lines of its own. Whoever arrives last in a
// group combines it and arrives for it in the next tier; whoever completes the top opens a line in which
// those who wait find the value. Or, with fixed leaders, each representative combines its group when it gets
// there, as in the paper. Down, within a node, in one step, because all its ranks see the representative's
// line. Between nodes up and down go along trees of messages. Which task waits for which follows from what it
// reads and writes, so that every group goes on as soon as it is complete itself.
//
// Cheetah (2013), sections III to V; its schedules of figure 4 are what results for two tiers.
#pragma once

#include <functional>

#include "algorithm/algorithm.hpp"
#include "algorithm/islands.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft {

// The hierarchy that a call climbs: that of the parameters, unless the operands have to stay in rank order
// and the hierarchy does not keep it, or there is none. All ranks are one tier then.
Hierarchy hierarchy_of(const Call& call, const Parameters& parameters);
Hierarchy hierarchy_of(const Algorithm& algorithm, Call call, const Parameters& parameters);

// Its nodes as islands, if their values may be combined node by node; else each rank is one.
Islands nodes_of(const Call& call, const Parameters& parameters, Rank self);

// Whether no rank sends a message in this call.
bool stays_in_memory(const Algorithm& algorithm, const Call& call, const Parameters& parameters);

// The parameters of a tier's own algorithm, in a group of so many members.
Parameters parameters_of(const Parameters& parameters, int tier, int members);

class Tiers {
 public:
  Tiers(const Builder& b, const Parameters& parameters);

  const Hierarchy& hierarchy() const { return hierarchy_; }
  int count() const { return static_cast<int>(hierarchy_.tiers().size()); }
  int in_memory() const { return in_memory_; }  // tiers 0 to before this share memory
  bool is_one_node_group() const { return count() == 1 && in_memory_ == 1; }
  const Islands& islands() const { return islands_; }  // what the memory tiers join

  // This rank takes part in the tiers 0 to before seats(); alone in some of them.
  int seats() const { return static_cast<int>(seats_.size()); }
  const Hierarchy::Seat& seat(int tier) const { return seats_[static_cast<std::size_t>(tier)]; }
  bool reaches(int tier) const { return tier < seats() && seat(tier).size > 1; }
  Leader leader() const { return parameters_.leader; }
  Parameters parameters(int tier) const { return parameters_of(parameters_, tier, seat(tier).size); }

  // A tier's group as the ranks of a collective, rooted at its representative. For as long as these tiers
  // live.
  Subgroup group(int tier, Collective collective, Range contribution, Range output) const;

  // What the ranks of this rank's node share, with a cell for each. Steps: one up each memory tier, one in
  // which those who wait find what the last to arrive have brought up, and, if it is another one, one down.
  enum class Down { kNone, kOneStep };
  NodeMemory memory(Builder& b, Down down, Bytes cell) const;
  int opening() const { return in_memory_; }
  int down() const { return in_memory_ + (leader() == Leader::kLast ? 1 : 0); }
  // Another room on the node, in parts, one for each island, by its number so many bytes: that of this
  // rank's.
  Range room(Builder& b, const NodeMemory& memory, const std::function<Bytes(int)>& bytes_of_island) const;

 private:
  Call call_;
  Parameters parameters_;
  Hierarchy hierarchy_;
  int in_memory_;
  std::vector<Hierarchy::Seat> seats_;
  Islands islands_;
};

// What has climbed an island, everybody's arrival at least, is for its representative or for all.
enum class For { kRepresentative, kAll };

// Lets everybody's arrival climb, and with it what everybody has left in the range that this `covers`.
void arrive_up(Builder& b, const Tiers& tiers, const NodeMemory& memory, Range covers, For whom);

// The way down: the island goes on when its representative comes here, and sees what that left in the range.
void release_island(const Tiers& tiers, const NodeMemory& memory, Range covers);

// Combines the contributions of each island, and returns where the value is for those that it is for.
// Requires an island, and leaders that are the last to arrive.
Range reduce_island(Builder& b, const Tiers& tiers, const NodeMemory& memory, For whom);

// Combines the contributions of each group at its representative, in the tiers before `end`; a representative
// that combines keeps what it has in `home`. Returns where this rank's value is.
Range reduce_up(Builder& b, const Tiers& tiers, const NodeMemory& memory, int end, Range home);

// Brings `data` of the representatives down the tiers before `end`, to everybody; on an island in one step,
// through this room or the representative's cell.
void bcast_down(Builder& b, const Tiers& tiers, const NodeMemory& memory, int end, Range data,
                Range room = {});

// What the representative of the first group pays for both: nobody pays more, and it pays just this where all
// groups of a tier are of one size.
Cost reduce_up_cost(const Hierarchy& hierarchy, const Call& call, const Parameters& parameters, int end);
Cost bcast_down_cost(const Hierarchy& hierarchy, const Parameters& parameters, int end, Bytes data);

}  // namespace weft
