// SPDX-License-Identifier: BSD-3-Clause
// Scatter within a node without a stop in shared memory: everybody reads its block where the root has it, all
// at the same time, while the root copies its own.
#include "algorithm/pattern/single_copy.hpp"

#include "algorithm/algorithm.hpp"

namespace weft::scatter {

namespace {

void build_single_copy(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  SingleCopy node(b);
  const Range read = b.lines(node.group());
  const Range whole = node.expose_of(b, root, b.bytes() * b.rank_count(), b.contribution());
  node.fan_out(b, root);
  if (b.self() != root) b.copy(b.blocks(whole, b.self(), b.self() + 1), b.output());
  else if (!b.in_place()) b.copy(b.blocks(b.contribution(), root, root + 1), b.output());
  node.fan_in(b, read, root);
}

Cost single_copy_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm single_copy{
    .collective = Collective::kScatter,
    .name = "single_copy",
    .summary = "within a node, long: everybody reads its block where the root has it",
    .formula = "2 l + m c",
    .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
    .within_node = true,
    .single_copy = true,
    .eligible = can_expose_all,
    .scales = always,
    .build = build_single_copy,
    .cost = single_copy_cost,
};

}  // namespace weft::scatter
