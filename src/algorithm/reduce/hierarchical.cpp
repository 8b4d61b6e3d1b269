// SPDX-License-Identifier: BSD-3-Clause
// Reduce over a hierarchy: contributions climb, tier by tier. The root represents all groups that it is in,
// so that the result ends there.
//
//   2 nodes of 4, root 6        fan-ins 1 2 3 ► 0 and 4 5 7 ► 6, in whatever order;  then a tree 0 ► 6
//
// Cheetah (2013), section V.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/tiers.hpp"

namespace weft::reduce {

namespace {

void build_hierarchical(Builder& b, const Parameters& parameters) {
  const Tiers tiers(b, parameters);
  const NodeMemory memory = tiers.memory(b, Tiers::Down::kNone, b.bytes());
  const bool combines_for_others = tiers.seats() > 1 && b.self() != b.call().root.value;
  const Range home = combines_for_others ? b.scratch(b.bytes()) : b.output();
  const Range value = reduce_up(b, tiers, memory, tiers.count(), home);
  if (b.self() == b.call().root.value) b.copy(value, b.output());
}

Cost hierarchical_cost(const Call& call, const Parameters& parameters) {
  const Hierarchy hierarchy = hierarchy_of(call, parameters);
  const int tiers = static_cast<int>(hierarchy.tiers().size());
  Cost cost = reduce_up_cost(hierarchy, call, parameters, tiers);
  // Who stops in a tier sends once; the root does where operands stay in order, for it is not first then.
  const int by_messages = tiers - hierarchy.memory_tiers();
  const bool root_sends = !call.commutative && call.root != Rank(0);
  cost.messages = root_sends ? by_messages : std::min(by_messages, 1);
  cost.sent = call.bytes * cost.messages;
  return cost;
}

}  // namespace

extern constinit const Algorithm hierarchical{
    .collective = Collective::kReduce,
    .name = "hierarchical",
    .summary = "contributions climb tier by tier, and the root represents what it is in",
    .formula = "sum over tiers t: (l + m c + (n_t-1) m (c + g)) or ceil(log_k n_t) (L + 2o + k m (G + g))",
    .source = "Cheetah 2013, section V",
    .has_radix = true,
    .follows_hierarchy = true,
    .build = build_hierarchical,
    .cost = hierarchical_cost,
};

}  // namespace weft::reduce
