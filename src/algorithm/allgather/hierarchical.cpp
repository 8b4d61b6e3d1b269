// SPDX-License-Identifier: BSD-3-Clause
// Allgather over a hierarchy: everybody leaves its block in its node's memory, representatives collect the
// blocks of their node, exchange what they have tier by tier, and leave all of it for their node to take.
//
//   2 nodes of 2     blocks in the hierarchy's order, so that what a representative has is one range
//
//     rank 0   a . . .   collect   a b . .   exchange   a b c d   leave   ► 0 1
//     rank 2   . . c .             . . c d              a b c d           ► 2 3
//
// Where ranks of a group are not neighbours, this range is in scratch, and the last step puts the blocks in
// rank order. Graham et al. (2011); the exchanges are flat ones on blocks of different sizes.
#include <algorithm>

#include "algorithm/catalog.hpp"
#include "algorithm/tiers.hpp"

namespace weft::allgather {

namespace {

const Algorithm& between(Aim aim) {
  if (aim == Aim::kLatency) return bruck;
  return aim == Aim::kBytes ? ring : recursive_doubling;
}

void exchange_in_tier(Builder& b, const Tiers& tiers, int tier, Aim aim, Range all) {
  const Parts& parts = tiers.hierarchy().parts(tier);
  const Hierarchy::Seat& seat = tiers.seat(tier);
  const auto blocks = [&](int first, int end) {  // of the parts that the members at these places stand for
    const int begin = parts.begin(seat.first + first);
    return all.part(b.bytes() * begin, b.bytes() * (parts.begin(seat.first + end) - begin));
  };
  const Range whole = blocks(0, seat.size);
  Subgroup group = tiers.group(tier, Collective::kAllgather, blocks(seat.place, seat.place + 1), whole);
  group.block_begin = [&, block = b.bytes()](int place) {
    return block * (parts.begin(seat.first + place) - parts.begin(seat.first));
  };
  build_in(b, std::move(group), between(aim), tiers.parameters(tier));
}

// Copies the blocks, which lie in the hierarchy's order, to their places in rank order.
void put_in_rank_order(Builder& b, const std::vector<Rank>& order, Range all) {
  for (std::size_t at = 0, next = 0; at < order.size(); at = next) {
    for (next = at + 1; next < order.size() && order[next].value == order[next - 1].value + 1;) ++next;
    const Bytes run = b.bytes() * static_cast<int>(next - at);
    b.copy(all.part(b.bytes() * static_cast<int>(at), run),
           b.output().part(b.bytes() * order[at].value, run));
  }
}

// All ranks are on one node: each takes the blocks of all others.
void take_from_cells(Builder& b, const Tiers& tiers, const NodeMemory& memory) {
  for (const Rank rank : tiers.islands().own()) {
    const bool own = rank == Rank(b.self());
    b.copy(own ? b.contribution() : memory.of(rank), b.blocks(b.output(), rank.value, rank.value + 1));
  }
}

void build_hierarchical(Builder& b, const Parameters& parameters) {
  const Tiers tiers(b, parameters);
  if (tiers.is_one_node_group()) return exchange.build(b, parameters);
  const Islands& islands = tiers.islands();
  const NodeMemory memory = tiers.memory(b, Tiers::Down::kOneStep, b.bytes());
  const bool on_one_node = tiers.count() == tiers.in_memory();
  if (!islands.is_alone()) {
    if (on_one_node || !islands.represents()) b.copy(b.contribution(), memory.of(Rank(b.self())));
    arrive_up(b, tiers, memory, memory.cells(), on_one_node ? For::kAll : For::kRepresentative);
  }
  if (on_one_node) return take_from_cells(b, tiers, memory);

  const bool in_rank_order = tiers.hierarchy().keeps_rank_order();
  const Range all = in_rank_order ? b.output() : b.scratch(b.output().size);
  const bool needs_room = !memory.is_alone() && all.size > kLineBytes;
  const Range down = needs_room ? tiers.room(b, memory, [&](int) { return all.size; }) : Range{};
  if (islands.represents())
    for (const Rank rank : islands.own()) {
      const bool own = rank == Rank(b.self());
      b.copy(own ? b.contribution() : memory.of(rank),
             all.part(b.bytes() * islands.all().line().position_of(rank), b.bytes()));
    }
  for (int tier = tiers.in_memory(); tier < tiers.seats(); ++tier)
    if (tiers.reaches(tier))
      exchange_in_tier(b, tiers, tier, parameters.tiers[static_cast<std::size_t>(tier)].aim, all);
  bcast_down(b, tiers, memory, tiers.count() - 1, all, down);
  if (!in_rank_order) put_in_rank_order(b, tiers.hierarchy().order(), all);
}

Cost hierarchical_cost(const Call& call, const Parameters& parameters) {
  const Hierarchy hierarchy = hierarchy_of(call, parameters);
  const int last = static_cast<int>(hierarchy.tiers().size()) - 1;
  Cost cost = bcast_down_cost(hierarchy, parameters, last, call.bytes * call.rank_count);
  for (int tier = hierarchy.memory_tiers(); tier <= last; ++tier) {
    const int largest = hierarchy.parts(tier).largest();
    const Call of_group{.collective = Collective::kAllgather,
                        .rank_count = hierarchy.largest_group(tier),
                        .bytes = call.bytes * largest};
    const Aim aim = parameters.tiers[static_cast<std::size_t>(tier)].aim;
    cost = cost + between(aim).cost(of_group, parameters_of(parameters, tier, of_group.rank_count));
  }
  return cost;
}

}  // namespace

extern constinit const Algorithm hierarchical{
    .collective = Collective::kAllgather,
    .name = "hierarchical",
    .summary = "representatives collect the blocks of their node, exchange them, and hand out all",
    .formula =
        "l + n_0 m c + sum over tiers t of messages: log_2 n_t (L + 2o) + (n - n/n_t) m G; then l + 2 n m c",
    .source = "Graham et al. 2011; Thakur, Rabenseifner, Gropp 2005, section 4.1",
    .follows_hierarchy = true,
    .build = build_hierarchical,
    .cost = hierarchical_cost,
};

}  // namespace weft::allgather
