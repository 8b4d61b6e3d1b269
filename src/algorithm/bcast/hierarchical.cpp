// SPDX-License-Identifier: BSD-3-Clause
// Bcast over a hierarchy: down from the root, which represents all groups that it is in. Each node hands the
// message out as soon as it has it, the root's at once.
//
//   2 nodes of 4, root 6        fan-out 6 ► 4 5 7;  a tree 6 ► 0, then fan-out 0 ► 1 2 3
//
// Graham et al. (2011), hierarchical broadcast; Cheetah (2013), section III: the order that the root fixes.
#include "algorithm/algorithm.hpp"
#include "algorithm/tiers.hpp"

namespace weft::bcast {

namespace {

void build_hierarchical(Builder& b, const Parameters& parameters) {
  const Tiers tiers(b, parameters);
  const NodeMemory memory = tiers.memory(b, Tiers::Down::kOneStep, b.bytes());
  bcast_down(b, tiers, memory, tiers.count(), b.output());
}

Cost hierarchical_cost(const Call& call, const Parameters& parameters) {
  const Hierarchy hierarchy = hierarchy_of(call, parameters);
  return bcast_down_cost(hierarchy, parameters, static_cast<int>(hierarchy.tiers().size()), call.bytes);
}

}  // namespace

extern constinit const Algorithm hierarchical{
    .collective = Collective::kBcast,
    .name = "hierarchical",
    .summary = "down from the root to the representatives of nodes, which hand out",
    .formula = "sum over tiers t of messages: ceil(log_k n_t) (L + 2o + (k-1) m G); then l + m (2 c)",
    .source = "Graham et al. 2011; Cheetah 2013, section III",
    .has_radix = true,
    .follows_hierarchy = true,
    .build = build_hierarchical,
    .cost = hierarchical_cost,
};

}  // namespace weft::bcast
