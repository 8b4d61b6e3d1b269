// SPDX-License-Identifier: BSD-3-Clause
// Scatter within a node: the root leaves all blocks in its cell, and everybody takes its own.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::scatter {

namespace {

void build_fan_out(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  const NodeMemory node(b, b.bytes() * b.rank_count());
  if (b.self() == root) b.copy(b.contribution(), node.of(root));
  node.fan_out(root, 0, node.cells());
  if (b.self() != root) b.copy(node.of(root).part(b.bytes() * b.self(), b.bytes()), b.output());
  else if (!b.in_place()) b.copy(b.blocks(b.contribution(), root, root + 1), b.output());
}

Cost fan_out_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm fan_out{
    .collective = Collective::kScatter,
    .name = "fan_out",
    .summary = "within a node: everybody takes its block from where the root left all",
    .formula = "l + n m c + m c",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .build = build_fan_out,
    .cost = fan_out_cost,
};

}  // namespace weft::scatter
