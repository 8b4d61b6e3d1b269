// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/tiers.hpp"

#include <algorithm>

#include "algorithm/catalog.hpp"
#include "algorithm/pattern/dissemination.hpp"

namespace weft {

static_assert(Hierarchy::kMostMemoryTiers + 2 == kMostLines,
              "lines per tier, others to open what has climbed, and others for the way down");

Hierarchy hierarchy_of(const Call& call, const Parameters& parameters) {
  const bool keeps_order = call.commutative || !is_reduction(call.collective) ||
                           (parameters.hierarchy != nullptr && parameters.hierarchy->keeps_rank_order());
  const bool is_flat = parameters.hierarchy == nullptr || !keeps_order;
  Hierarchy hierarchy = is_flat ? Hierarchy::flat(call.rank_count) : *parameters.hierarchy;
  return is_rooted(call.collective) ? hierarchy.led_by(call.root) : hierarchy;
}

Hierarchy hierarchy_of(const Algorithm& algorithm, Call call, const Parameters& parameters) {
  if (algorithm.gathers) call.commutative = true;
  return hierarchy_of(call, parameters);
}

Islands nodes_of(const Call& call, const Parameters& parameters, Rank self) {
  Hierarchy hierarchy = hierarchy_of(call, parameters);
  const Parts& nodes = hierarchy.nodes();
  const bool keeps_order =
      call.commutative || !is_reduction(call.collective) || nodes.line().is_in_rank_order();
  const Parts& all = keeps_order ? nodes : hierarchy.parts(0);
  return {std::move(hierarchy), all, self};
}

bool stays_in_memory(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  if (!algorithm.follows_hierarchy) return algorithm.within_node && !algorithm.may_send;
  const Hierarchy hierarchy = hierarchy_of(algorithm, call, parameters);
  return hierarchy.memory_tiers() == static_cast<int>(hierarchy.tiers().size());
}

Parameters parameters_of(const Parameters& parameters, int tier, int members) {
  const TierParameters& own = parameters.tiers[static_cast<std::size_t>(tier)];
  if (own.aim == Aim::kLatency) return {.radix = radix_of_fewest_rounds(members)};
  return {.radix = own.radix == 0 ? parameters.radix : own.radix};
}

Tiers::Tiers(const Builder& b, const Parameters& parameters)
    : call_(b.call()),
      parameters_(parameters),
      hierarchy_(hierarchy_of(b.call(), parameters)),
      in_memory_(hierarchy_.memory_tiers()),
      seats_(hierarchy_.seats(Rank(b.self()))),
      islands_(hierarchy_, hierarchy_.parts(in_memory_), Rank(b.self())) {}

Subgroup Tiers::group(int tier, Collective collective, Range contribution, Range output) const {
  const Hierarchy::Seat& own = seat(tier);
  const auto member = [this, tier](int place) { return hierarchy_.member(seat(tier), place); };
  return {.members = {member, own.place},
          .call = call_of_group(call_, collective, own.size, own.representative, contribution.size),
          .contribution = contribution,
          .output = output};
}

NodeMemory Tiers::memory(Builder& b, Down down, Bytes cell) const {
  std::vector<Rank> node = hierarchy_.node_of(islands_.representative_rank());
  const bool is_shared = in_memory_ > 0 && node.size() > 1;
  const int steps = this->down() + (down == Down::kOneStep ? 1 : 0);
  return {b, std::move(node), is_shared ? steps : 0, cell};
}

Range Tiers::room(Builder& b, const NodeMemory& memory,
                  const std::function<Bytes(int)>& bytes_of_island) const {
  const Bytes own = bytes_of_island(islands_.number());
  if (memory.is_alone()) return b.scratch(own);
  Bytes offset, total;
  int before = -1;  // an island's ranks are neighbours among the owners, too
  for (const Rank owner : memory.owners()) {
    const int island = islands_.all().number_of(owner);
    if (island == before) continue;
    if (island == islands_.number()) offset = total;
    total += cell_stride(bytes_of_island(island));
    before = island;
  }
  return memory.another_room(total).part(offset, own);
}

namespace {

// One island's way up, led in every group by whoever arrives last.
class Climb {
 public:
  Climb(Builder& b, const Tiers& tiers, const NodeMemory& memory, Range covers, For whom)
      : b_(b),
        tiers_(tiers),
        memory_(memory),
        covers_(covers),
        representative_(tiers.islands().representative_rank()),
        waiters_(whom == For::kAll ? tiers.islands().own() : std::vector{representative_}) {}

  // Combines the values in the cells; those who wait find the result in the range that is returned.
  Range combine() {
    combines_ = true;
    arrive();
    return opened();
  }
  void arrive() {
    rise(0, Rank(b_.self()));
    wait();
  }

 private:
  // Each group's value stays where its last member's was.
  Range value_of(int tier, Rank rank) const {
    if (tier == 0) return memory_.of(rank);
    const Hierarchy::Seat below = tiers_.hierarchy().seat(tier - 1, rank);
    return value_of(tier - 1, tiers_.hierarchy().member(below, below.size - 1));
  }

  // Takes part in this tier and all farther ones, as the rank that stands for all that `rank` represents.
  void rise(int tier, Rank rank) {
    if (tier == tiers_.in_memory()) return open(value_of(tier, rank));
    const Hierarchy::Seat seat = tiers_.hierarchy().seat(tier, rank);
    const std::vector<Rank> group = tiers_.hierarchy().members(seat);
    const Rank next = group[static_cast<std::size_t>(seat.representative)];
    if (group.size() == 1) return rise(tier + 1, next);
    memory_.fan_in(group, kLast, tier, covers_);
    const Builder::Errand errand(b_, memory_.lines(tier));
    const Range into = value_of(tier, group.back());
    for (std::size_t place = group.size() - 1; combines_ && place-- > 0;)
      b_.reduce(value_of(tier, group[place]), into);
    rise(tier + 1, next);
  }

  // A short value is in the very line that says that it is there.
  Range opened() const {
    return b_.bytes() <= kLineBytes ? memory_.of(waiters_.front(), tiers_.opening())
                                    : value_of(tiers_.in_memory(), representative_);
  }
  void open(Range value) {
    if (combines_) b_.copy(value, opened());
    fan_out();
  }
  void wait() {
    if (std::find(waiters_.begin(), waiters_.end(), Rank(b_.self())) != waiters_.end()) fan_out();
  }
  void fan_out() { memory_.fan_out(waiters_, kLast, tiers_.opening(), covers_); }

  Builder& b_;
  const Tiers& tiers_;
  const NodeMemory& memory_;
  Range covers_;
  Rank representative_;
  std::vector<Rank> waiters_;
  bool combines_ = false;
};

}  // namespace

void arrive_up(Builder& b, const Tiers& tiers, const NodeMemory& memory, Range covers, For whom) {
  if (tiers.islands().is_alone()) return;
  if (tiers.leader() == Leader::kLast) return Climb(b, tiers, memory, covers, whom).arrive();
  for (int tier = 0; tier < std::min(tiers.in_memory(), tiers.seats()); ++tier)
    if (tiers.reaches(tier))
      memory.fan_in(tiers.hierarchy().members(tiers.seat(tier)), tiers.seat(tier).representative, tier,
                    covers);
  if (whom == For::kAll) release_island(tiers, memory, covers);
}

void release_island(const Tiers& tiers, const NodeMemory& memory, Range covers) {
  if (tiers.islands().is_alone()) return;
  memory.fan_out(tiers.islands().own(), tiers.islands().representative(), tiers.down(), covers);
}

Range reduce_island(Builder& b, const Tiers& tiers, const NodeMemory& memory, For whom) {
  b.copy(b.contribution(), memory.of(b.self()));
  return Climb(b, tiers, memory, memory.cells(), whom).combine();
}

Range reduce_up(Builder& b, const Tiers& tiers, const NodeMemory& memory, int end, Range home) {
  Range value = b.contribution();
  const bool climbs = tiers.leader() == Leader::kLast && !tiers.islands().is_alone();
  if (climbs) value = reduce_island(b, tiers, memory, For::kRepresentative);
  for (int tier = climbs ? tiers.in_memory() : 0; tier < std::min(end, tiers.seats()); ++tier) {
    if (!tiers.reaches(tier)) continue;
    Subgroup group = tiers.group(tier, Collective::kReduce, value, home);
    if (tier < tiers.in_memory()) {
      const Builder::Frame frame(b, std::move(group));
      reduce_in_node(b, memory, Bracket::fold(b.rank_count()), tier);
    } else {
      build_in(b, std::move(group), reduce::n_ary_tree, tiers.parameters(tier));
    }
    value = home;
  }
  return value;
}

void bcast_down(Builder& b, const Tiers& tiers, const NodeMemory& memory, int end, Range data, Range room) {
  for (int tier = std::min(end, tiers.seats()) - 1; tier >= tiers.in_memory(); --tier)
    if (tiers.reaches(tier))
      build_in(b, tiers.group(tier, Collective::kBcast, data, data), bcast::k_nomial, tiers.parameters(tier));
  if (tiers.islands().is_alone()) return;
  if (room.size == Bytes(0)) room = memory.of(tiers.islands().representative_rank(), tiers.down(), data.size);
  const Builder::Frame frame(b, tiers.islands().group(b.call(), Collective::kBcast, data, data));
  bcast_in_node(b, memory, room, tiers.down());
}

Cost reduce_up_cost(const Hierarchy& hierarchy, const Call& call, const Parameters& parameters, int end) {
  Cost cost;
  for (int tier = 0; tier < end; ++tier) {
    // Where operands have to stay in order and the root is not first, the result has one more message to go.
    const int root = call.root == Rank(0) ? 0 : 1;
    const Call of_group =
        call_of_group(call, Collective::kReduce, hierarchy.largest_group(tier), root, call.bytes);
    const Algorithm& way = tier < hierarchy.memory_tiers() ? reduce::fan_in : reduce::n_ary_tree;
    const Cost own = way.cost(of_group, parameters_of(parameters, tier, of_group.rank_count));
    cost.rounds += own.rounds;
    cost.reduced += own.reduced;
  }
  return cost;
}

Cost bcast_down_cost(const Hierarchy& hierarchy, const Parameters& parameters, int end, Bytes data) {
  Cost cost;
  for (int tier = hierarchy.memory_tiers(); tier < end; ++tier) {
    const Call of_group{
        .collective = Collective::kBcast, .rank_count = hierarchy.largest_group(tier), .bytes = data};
    cost = cost + bcast::k_nomial.cost(of_group, parameters_of(parameters, tier, of_group.rank_count));
  }
  return cost;
}

}  // namespace weft
