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

#include "algorithm/algorithm.hpp"
#include "topology/hierarchy.hpp"

namespace weft {

// The hierarchy that a call climbs: that of the parameters, unless the operands have to stay in rank order
// and the hierarchy does not keep it, or there is none. All ranks are one tier then.
Hierarchy hierarchy_of(const Call& call, const Parameters& parameters);
Hierarchy hierarchy_of(const Algorithm& algorithm, Call call, const Parameters& parameters);

// The nodes of its ranks, if their values may be combined node by node; else each rank is one.
std::vector<std::vector<Rank>> nodes_of(const Call& call, const Parameters& parameters);

// Whether no rank sends a message in this call.
bool stays_in_memory(const Algorithm& algorithm, const Call& call, const Parameters& parameters);

// The parameters of a tier's own algorithm.
Parameters parameters_of(const Parameters& parameters, int tier);

// About groups of ranks: the size of the largest, and which one a rank is in.
int largest_of(const std::vector<std::vector<Rank>>& groups);
std::size_t number_of(const std::vector<std::vector<Rank>>& groups, Rank rank);
int largest_group(const Hierarchy& hierarchy, int tier);

class Tiers {
 public:
  Tiers(const Builder& b, const Parameters& parameters);

  const Hierarchy& hierarchy() const { return hierarchy_; }
  int count() const { return static_cast<int>(hierarchy_.tiers().size()); }
  int in_memory() const { return in_memory_; }  // tiers 0 to before this share memory
  bool is_one_node_group() const { return count() == 1 && in_memory_ == 1; }

  // This rank takes part in the tiers 0 to before seats(); alone in some of them.
  int seats() const { return static_cast<int>(seats_.size()); }
  const Hierarchy::Seat& seat(int tier) const { return seats_[static_cast<std::size_t>(tier)]; }
  bool reaches(int tier) const { return tier < seats() && seat(tier).size() > 1; }
  Leader leader() const { return parameters_.leader; }
  Parameters parameters(int tier) const { return parameters_of(parameters_, tier); }

  // A tier's group as the ranks of a collective, rooted at its representative.
  Subgroup subgroup(int tier, Collective collective, Range contribution, Range output) const;

  // Islands: what the memory tiers join; each rank is one where there is no memory tier.
  const std::vector<std::vector<Rank>>& islands() const { return islands_; }
  const std::vector<Rank>& island() const { return islands_[island_]; }
  std::size_t island_number() const { return island_; }
  bool is_on_island(Rank rank) const;
  bool represents_island() const {
    return seats() > in_memory_ || (seats() == count() && seats_.back().represents());
  }
  // The ranks of this rank's island as those of a collective, rooted at its representative.
  Subgroup island_group(Collective collective, Range data) const;
  int island_representative() const { return representative_; }  // place on the island
  const std::vector<Rank>& node() const { return node_; }        // who shares memory with this rank

 private:
  Call call_;
  Parameters parameters_;
  Hierarchy hierarchy_;
  int in_memory_;
  std::vector<Hierarchy::Seat> seats_;
  std::vector<std::vector<Rank>> islands_;
  std::size_t island_ = 0;
  int representative_ = 0;
  std::vector<Rank> node_;
};

// What the ranks of a node share for one call: all of them declare it alike, as the first thing that they do.
class NodeMemory {
 public:
  // Lines buffers for the steps up and, if it is another one, `down`; and a slot of `bytes` for every rank.
  enum class Down { kNone, kOneStep };
  NodeMemory(Builder& b, const Tiers& tiers, Down down, Bytes bytes);

  bool is_alone() const { return owners_.empty(); }  // there is nobody to share with

  // What a rank leaves for the others. Steps that cover the slots follow one another on each rank.
  Range slot(Rank rank, int number = 0) const;
  Range slots() const { return slots_.size > Bytes(0) || lines_.empty() ? slots_ : lines_.front(); }
  SlotMemory step(int number) const;                // for the frame of one step, on these slots
  SlotMemory step(int number, Range covers) const;  // the same with one slot, as a tier's last step
  int opening() const { return steps_up_ - 1; }     // the step in which those who wait find what has climbed
  int down() const { return steps_up_; }

  // More memory of the node, in parts as large as these bytes, one for each island. Returns the part of this
  // rank's island.
  Range area(Builder& b, const Tiers& tiers, const std::vector<Bytes>& bytes_of_island) const;

 private:
  std::vector<Rank> owners_;
  GroupId group_;
  int steps_up_;
  std::vector<Range> lines_;
  Bytes bytes_;
  Range slots_;
};

// What has climbed an island, everybody's arrival at least, is for its representative or for all.
enum class For { kRepresentative, kAll };

// Lets everybody's arrival climb, and with it what everybody has left in the range that this `covers`.
void arrive_up(Builder& b, const Tiers& tiers, const NodeMemory& memory, Range covers, For whom);

// The way down: the island goes on when its representative comes here, and sees what that left in the range.
void release_island(Builder& b, const Tiers& tiers, const NodeMemory& memory, Range covers);

// Combines the contributions of each island, and returns where the value is for those that it is for.
// Requires an island, and leaders that are the last to arrive.
Range reduce_island(Builder& b, const Tiers& tiers, const NodeMemory& memory, For whom);

// Combines the contributions of each group at its representative, in the tiers before `end`; a representative
// that combines keeps what it has in `home`. Returns where this rank's value is.
Range reduce_up(Builder& b, const Tiers& tiers, const NodeMemory& memory, int end, Range home);

// Brings `data` of the representatives down the tiers before `end`, to everybody; within a node through
// `memory`, in one step.
void bcast_down(Builder& b, const Tiers& tiers, const SlotMemory& memory, int end, Range data);

// What the representative of the first group pays for both: nobody pays more, and it pays just this where all
// groups of a tier are of one size.
Cost reduce_up_cost(const Hierarchy& hierarchy, const Call& call, const Parameters& parameters, int end);
Cost bcast_down_cost(const Hierarchy& hierarchy, const Parameters& parameters, int end, Bytes data);

}  // namespace weft
