// SPDX-License-Identifier: BSD-3-Clause
// Allreduce over a hierarchy: contributions climb to the representatives of the last tier, these exchange,
// and the result comes down.
//
//   2 nodes of 4      leaders     fan-in  ─►  recursive k-ing  ─►  fan-out
//                     others      fan-in  ────────────────────►  fan-out
//
// Cheetah (2013), section IV; the picture is its figure 4.
#include "algorithm/allreduce/between.hpp"
#include "algorithm/tiers.hpp"

namespace weft::allreduce {

namespace {

void build_hierarchical(Builder& b, const Parameters& parameters) {
  const Tiers tiers(b, parameters);
  if (tiers.is_one_node_group()) return exchange.build(b, parameters);
  const int last = tiers.count() - 1;
  const bool by_messages = last >= tiers.in_memory();
  const bool ends_up = !by_messages && tiers.leader() == Leader::kLast;
  const NodeMemory memory = tiers.memory(b, ends_up ? Tiers::Down::kNone : Tiers::Down::kOneStep, b.bytes());
  if (ends_up) return void(b.copy(reduce_island(b, tiers, memory, For::kAll), b.output()));
  const Range value = reduce_up(b, tiers, memory, by_messages ? last : tiers.count(), b.output());
  if (by_messages && tiers.reaches(last)) {
    const Aim aim = parameters.tiers[static_cast<std::size_t>(last)].aim;
    const Subgroup top = tiers.group(last, Collective::kAllreduce, value, b.output());
    build_in(b, top, between(top.call, aim), parameters_between(parameters, last, top.call.rank_count));
  }
  bcast_down(b, tiers, memory, last, b.output());
}

Cost hierarchical_cost(const Call& call, const Parameters& parameters) {
  const Hierarchy hierarchy = hierarchy_of(call, parameters);
  const int last = static_cast<int>(hierarchy.tiers().size()) - 1;
  if (hierarchy.memory_tiers() > last) return reduce_up_cost(hierarchy, call, parameters, last + 1);
  Call on_top = call;
  on_top.rank_count = hierarchy.largest_group(last);
  const Aim aim = parameters.tiers[static_cast<std::size_t>(last)].aim;
  return reduce_up_cost(hierarchy, call, parameters, last) +
         between(on_top, aim).cost(on_top, parameters_between(parameters, last, on_top.rank_count)) +
         bcast_down_cost(hierarchy, parameters, last, call.bytes);
}

}  // namespace

extern constinit const Algorithm hierarchical{
    .collective = Collective::kAllreduce,
    .name = "hierarchical",
    .summary = "reduce to representatives, exchange between the last ones, hand out",
    .formula = "reduce over the tiers below + recursive k-ing of the n_T last + bcast down",
    .source = "Cheetah 2013, section IV",
    .has_radix = true,
    .follows_hierarchy = true,
    .build = build_hierarchical,
    .cost = hierarchical_cost,
};

}  // namespace weft::allreduce
