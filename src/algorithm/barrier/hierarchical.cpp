// SPDX-License-Identifier: BSD-3-Clause
// Barrier over a hierarchy: arrivals climb, the representatives of the last tier meet, and the news comes
// down.
//
//   2 nodes of 4       fan-in (node)  ─►  dissemination (network)  ─►  fan-out (node)
//
// Where messages join a tier below the last one, its members meet before and after those above them do: the
// second time they learn from their representative that all have come. Graham et al. (2011), hierarchical
// barrier.
#include "algorithm/catalog.hpp"
#include "algorithm/tiers.hpp"

namespace weft::barrier {

namespace {

void build_hierarchical(Builder& b, const Parameters& parameters) {
  const Tiers tiers(b, parameters);
  if (tiers.is_one_node_group()) return exchange.build(b, parameters);
  const NodeMemory memory = tiers.memory(b, Tiers::Down::kOneStep, Bytes(0));
  const int last = tiers.count() - 1;
  if (last < tiers.in_memory()) return arrive_up(b, tiers, memory, memory.cells(), For::kAll);
  bool has_begun = false;
  const auto meet = [&](int tier) {
    if (!tiers.reaches(tier)) return;
    // Signals read and write nothing, so that only a join keeps one tier behind the other.
    if (has_begun) b.join();
    has_begun = true;
    build_in(b, tiers.group(tier, Collective::kBarrier, {}, {}), dissemination, tiers.parameters(tier));
  };

  arrive_up(b, tiers, memory, memory.cells(), For::kRepresentative);
  has_begun = !tiers.islands().is_alone();
  for (int tier = tiers.in_memory(); tier <= last; ++tier) meet(tier);
  for (int tier = last - 1; tier >= tiers.in_memory(); --tier) meet(tier);
  if (tiers.islands().is_alone()) return;
  if (tiers.seats() > tiers.in_memory()) b.join();
  release_island(tiers, memory, memory.cells());
}

Cost hierarchical_cost(const Call& call, const Parameters& parameters) {
  const Hierarchy hierarchy = hierarchy_of(call, parameters);
  const int last = static_cast<int>(hierarchy.tiers().size()) - 1;
  Cost cost;
  for (int tier = hierarchy.memory_tiers(); tier <= last; ++tier) {
    const Call of_group{.rank_count = hierarchy.largest_group(tier)};
    const Cost once = dissemination.cost(of_group, parameters_of(parameters, tier, of_group.rank_count));
    cost = tier == last ? cost + once : cost + once + once;
  }
  return cost;
}

}  // namespace

extern constinit const Algorithm hierarchical{
    .collective = Collective::kBarrier,
    .name = "hierarchical",
    .summary = "arrivals climb to representatives, these meet, and the news comes down",
    .formula = "T l + sum over tiers t of messages: ceil(log_k n_t) (L + 2o), twice below the last",
    .source = "Graham et al. 2011, hierarchical barrier",
    .has_radix = true,
    .follows_hierarchy = true,
    .build = build_hierarchical,
    .cost = hierarchical_cost,
};

}  // namespace weft::barrier
