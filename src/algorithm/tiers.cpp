// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/tiers.hpp"

#include <algorithm>

#include "algorithm/cards.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft {

static_assert(Hierarchy::kMostMemoryTiers + 2 == kMostLines,
              "a lines buffer per tier, one to open what has climbed, and one for the way down");

namespace {

bool has(const std::vector<Rank>& ranks, Rank rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace

Hierarchy hierarchy_of(const Call& call, const Parameters& parameters) {
  const bool keeps_order = call.commutative || !is_reduction(call.collective) ||
                           (parameters.hierarchy != nullptr && parameters.hierarchy->keeps_rank_order());
  const bool is_flat = parameters.hierarchy == nullptr || !keeps_order;
  const Hierarchy hierarchy = is_flat ? Hierarchy::flat(call.rank_count) : *parameters.hierarchy;
  return is_rooted(call.collective) ? hierarchy.led_by(call.root) : hierarchy;
}

Hierarchy hierarchy_of(const Algorithm& algorithm, Call call, const Parameters& parameters) {
  if (algorithm.gathers) call.commutative = true;
  return hierarchy_of(call, parameters);
}

std::vector<std::vector<Rank>> nodes_of(const Call& call, const Parameters& parameters) {
  auto nodes = hierarchy_of(call, parameters).nodes();
  if (call.commutative || !is_reduction(call.collective)) return nodes;
  std::vector<Rank> order;
  for (const auto& node : nodes) order.insert(order.end(), node.begin(), node.end());
  return std::is_sorted(order.begin(), order.end()) ? nodes : Hierarchy::flat(call.rank_count).nodes();
}

bool stays_in_memory(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  if (!algorithm.follows_hierarchy) return algorithm.within_node;
  const Hierarchy hierarchy = hierarchy_of(algorithm, call, parameters);
  return hierarchy.memory_tiers() == static_cast<int>(hierarchy.tiers().size());
}

int largest_of(const std::vector<std::vector<Rank>>& groups) {
  std::size_t most = 0;
  for (const auto& group : groups) most = std::max(most, group.size());
  return static_cast<int>(most);
}

std::size_t number_of(const std::vector<std::vector<Rank>>& groups, Rank rank) {
  const auto at =
      std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return has(group, rank); });
  return static_cast<std::size_t>(at - groups.begin());
}

int largest_group(const Hierarchy& hierarchy, int tier) {
  return largest_of(hierarchy.tiers()[static_cast<std::size_t>(tier)].groups);
}

Parameters parameters_of(const Parameters& parameters, int tier) {
  const TierParameters& own = parameters.tiers[static_cast<std::size_t>(tier)];
  return {.radix = own.radix == 0 ? parameters.radix : own.radix};
}

Tiers::Tiers(const Builder& b, const Parameters& parameters)
    : call_(b.call()),
      parameters_(parameters),
      hierarchy_(hierarchy_of(b.call(), parameters)),
      in_memory_(hierarchy_.memory_tiers()),
      seats_(hierarchy_.seats(Rank(b.self()))),
      islands_(hierarchy_.parts(static_cast<std::size_t>(in_memory_))),
      node_(hierarchy_.node_of(Rank(b.self()))) {
  const Rank self(b.self());
  island_ = number_of(islands_, self);
  if (in_memory_ == 0) return;
  for (const auto& group : hierarchy_.tiers()[static_cast<std::size_t>(in_memory_ - 1)].groups) {
    const auto at = std::find(island().begin(), island().end(), hierarchy_.representative(group));
    if (at != island().end()) representative_ = static_cast<int>(at - island().begin());
  }
}

Subgroup Tiers::subgroup(int tier, Collective collective, Range contribution, Range output) const {
  const Hierarchy::Seat& own = seat(tier);
  return {.members = own.members,
          .call = call_of_group(call_, collective, own.size(), own.representative, call_.bytes),
          .contribution = contribution,
          .output = output};
}

Subgroup Tiers::island_group(Collective collective, Range data) const {
  return {
      .members = island(),
      .call = call_of_group(call_, collective, static_cast<int>(island().size()), representative_, data.size),
      .contribution = data,
      .output = data};
}

bool Tiers::is_on_island(Rank rank) const { return has(island(), rank); }

NodeMemory::NodeMemory(Builder& b, const Tiers& tiers, Down down, Bytes bytes)
    : steps_up_(tiers.in_memory() + (tiers.leader() == Leader::kLast ? 1 : 0)), bytes_(bytes) {
  if (tiers.in_memory() == 0 || tiers.node().size() == 1) return;
  owners_ = tiers.node();
  group_ = b.group_of(owners_);
  const int steps = steps_up_ + (down == Down::kOneStep ? 1 : 0);
  for (int step = 0; step < steps; ++step) lines_.push_back(b.lines(group_));
  if (bytes > kLineBytes) slots_ = b.shared(group_, whole_lines(bytes) * static_cast<int>(owners_.size()));
}

SlotMemory NodeMemory::step(int number) const {
  if (is_alone()) return {};
  return {group_, lines_[static_cast<std::size_t>(number)], slots_, whole_lines(bytes_)};
}

SlotMemory NodeMemory::step(int number, Range covers) const {
  if (is_alone()) return {};
  return {group_, lines_[static_cast<std::size_t>(number)], covers, Bytes(0)};
}

Range NodeMemory::slot(Rank rank, int number) const {
  const auto owner = std::find(owners_.begin(), owners_.end(), rank) - owners_.begin();
  return NodeSlots::slot(step(number), static_cast<int>(owner), bytes_);
}

Range NodeMemory::area(Builder& b, const Tiers& tiers, const std::vector<Bytes>& bytes_of_island) const {
  const Bytes own = bytes_of_island[tiers.island_number()];
  if (is_alone()) return b.scratch(own);
  Bytes offset, total;
  for (std::size_t island = 0; island < tiers.islands().size(); ++island) {
    if (!has(owners_, tiers.islands()[island].front())) continue;
    if (island == tiers.island_number()) offset = total;
    total += whole_lines(bytes_of_island[island]);
  }
  return b.shared(group_, total).part(offset, own);
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
        representative_(tiers.island()[static_cast<std::size_t>(tiers.island_representative())]),
        waiters_(whom == For::kAll ? tiers.island() : std::vector{representative_}) {}

  // Combines the values in the slots; those who wait find the result in the range that is returned.
  Range combine() {
    combines_ = true;
    rise(0, Rank(b_.self()));
    wait();
    return opened();
  }
  void arrive() {
    rise(0, Rank(b_.self()));
    wait();
  }

 private:
  const std::vector<Rank>& group_of(int tier, Rank rank) const {
    const auto& groups = tiers_.hierarchy().tiers()[static_cast<std::size_t>(tier)].groups;
    return groups[number_of(groups, rank)];
  }

  // Each group's value stays where its last member's was.
  Range value_of(int tier, Rank rank) const {
    if (tier == 0) return memory_.slot(rank);
    return value_of(tier - 1, group_of(tier - 1, rank).back());
  }

  // Takes part in this tier and all farther ones, as the rank that stands for all that `rank` represents.
  void rise(int tier, Rank rank) {
    if (tier == tiers_.in_memory()) return open(value_of(tier, rank));
    const std::vector<Rank>& group = group_of(tier, rank);
    const Rank next = tiers_.hierarchy().representative(group);
    if (group.size() == 1) return rise(tier + 1, next);
    const Range lines = memory_.step(tier).lines;
    b_.fan_in(lines, b_.group_of(group), kLast, covers_);
    const Builder::Errand errand(b_, lines);
    const Range into = value_of(tier, group.back());
    for (std::size_t place = group.size() - 1; combines_ && place-- > 0;)
      b_.reduce(value_of(tier, group[place]), into);
    rise(tier + 1, next);
  }

  // A short value is in the very line that says that it is there.
  Range opened() const {
    return b_.bytes() <= kLineBytes ? memory_.slot(waiters_.front(), memory_.opening())
                                    : value_of(tiers_.in_memory(), representative_);
  }
  void open(Range value) {
    if (combines_) b_.copy(value, opened());
    fan_out();
  }
  void wait() {
    if (has(waiters_, Rank(b_.self()))) fan_out();
  }
  void fan_out() { b_.fan_out(memory_.step(memory_.opening()).lines, b_.group_of(waiters_), kLast, covers_); }

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
  if (tiers.island().size() == 1) return;
  if (tiers.leader() == Leader::kLast) return Climb(b, tiers, memory, covers, whom).arrive();
  for (int tier = 0; tier < std::min(tiers.in_memory(), tiers.seats()); ++tier) {
    if (!tiers.reaches(tier)) continue;
    Subgroup group = tiers.subgroup(tier, Collective::kBarrier, {}, {});
    group.memory = memory.step(tier, covers);
    const Builder::Frame frame(b, std::move(group));
    NodeSlots(b, Bytes(0)).fan_in(b, tiers.seat(tier).representative);
  }
  if (whom == For::kAll) release_island(b, tiers, memory, covers);
}

void release_island(Builder& b, const Tiers& tiers, const NodeMemory& memory, Range covers) {
  if (tiers.island().size() == 1) return;
  Subgroup island = tiers.island_group(Collective::kBarrier, {});
  island.memory = memory.step(memory.down(), covers);
  const Builder::Frame frame(b, std::move(island));
  NodeSlots(b, Bytes(0)).fan_out(b, tiers.island_representative());
}

Range reduce_island(Builder& b, const Tiers& tiers, const NodeMemory& memory, For whom) {
  b.copy(b.contribution(), memory.slot(Rank(b.self())));
  return Climb(b, tiers, memory, memory.slots(), whom).combine();
}

Range reduce_up(Builder& b, const Tiers& tiers, const NodeMemory& memory, int end, Range home) {
  Range value = b.contribution();
  const bool climbs = tiers.leader() == Leader::kLast && tiers.island().size() > 1;
  if (climbs) value = reduce_island(b, tiers, memory, For::kRepresentative);
  for (int tier = climbs ? tiers.in_memory() : 0; tier < std::min(end, tiers.seats()); ++tier) {
    if (!tiers.reaches(tier)) continue;
    Subgroup group = tiers.subgroup(tier, Collective::kReduce, value, home);
    const bool in_memory = tier < tiers.in_memory();
    if (in_memory) group.memory = memory.step(tier);
    const Builder::Frame frame(b, std::move(group));
    (in_memory ? reduce::fan_in : reduce::n_ary_tree).build(b, tiers.parameters(tier));
    value = home;
  }
  return value;
}

void bcast_down(Builder& b, const Tiers& tiers, const SlotMemory& memory, int end, Range data) {
  for (int tier = std::min(end, tiers.seats()) - 1; tier >= tiers.in_memory(); --tier) {
    if (!tiers.reaches(tier)) continue;
    Subgroup group = tiers.subgroup(tier, Collective::kBcast, data, data);
    group.call.bytes = data.size;
    const Builder::Frame frame(b, std::move(group));
    bcast::k_nomial.build(b, tiers.parameters(tier));
  }
  if (tiers.island().size() == 1) return;
  Subgroup island = tiers.island_group(Collective::kBcast, data);
  island.memory = memory;
  const Builder::Frame frame(b, std::move(island));
  bcast::fan_out.build(b, {});
}

Cost reduce_up_cost(const Hierarchy& hierarchy, const Call& call, const Parameters& parameters, int end) {
  Cost cost;
  for (int tier = 0; tier < end; ++tier) {
    // Where operands have to stay in order and the root is not first, the result has one more message to go.
    const int root = call.root == Rank(0) ? 0 : 1;
    const Call of_group =
        call_of_group(call, Collective::kReduce, largest_group(hierarchy, tier), root, call.bytes);
    const Algorithm& way = tier < hierarchy.memory_tiers() ? reduce::fan_in : reduce::n_ary_tree;
    const Cost own = way.cost(of_group, parameters_of(parameters, tier));
    cost.rounds += own.rounds;
    cost.reduced += own.reduced;
  }
  return cost;
}

Cost bcast_down_cost(const Hierarchy& hierarchy, const Parameters& parameters, int end, Bytes data) {
  Cost cost;
  for (int tier = hierarchy.memory_tiers(); tier < end; ++tier) {
    const Call of_group{
        .collective = Collective::kBcast, .rank_count = largest_group(hierarchy, tier), .bytes = data};
    cost = cost + bcast::k_nomial.cost(of_group, parameters_of(parameters, tier));
  }
  return cost;
}

}  // namespace weft
