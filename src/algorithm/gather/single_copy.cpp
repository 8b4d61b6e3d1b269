// SPDX-License-Identifier: BSD-3-Clause
// Gather within a node without a stop in shared memory: everybody writes its block into the root's buffer,
// all at the same time, while the root copies its own.
#include "algorithm/pattern/single_copy.hpp"

#include "algorithm/algorithm.hpp"

namespace weft::gather {

namespace {

void build_single_copy(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  SingleCopy node(b);
  const Range arrived = b.lines(node.group());
  const Range whole = node.expose_of(b, root, b.bytes() * b.rank_count(), b.output());
  node.fan_out(b, root);
  if (b.self() == root) b.copy(b.contribution(), b.blocks(b.output(), root, root + 1));
  else b.copy(b.contribution(), b.blocks(whole, b.self(), b.self() + 1));
  node.fan_in(b, arrived, root);
}

Cost single_copy_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm single_copy{
    .collective = Collective::kGather,
    .name = "single_copy",
    .summary = "within a node, long: everybody writes its block where the root wants it",
    .formula = "2 l + m c",
    .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
    .within_node = true,
    .single_copy = true,
    .eligible = can_expose_all,
    .scales = always,
    .build = build_single_copy,
    .cost = single_copy_cost,
};

}  // namespace weft::gather
