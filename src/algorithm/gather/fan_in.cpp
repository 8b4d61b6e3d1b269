// SPDX-License-Identifier: BSD-3-Clause
// Gather within a node: everybody leaves its block in its cell, and the root takes them.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::gather {

namespace {

void build_fan_in(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  const NodeMemory node(b, b.bytes());
  if (b.self() != root) b.copy(b.contribution(), node.of(b.self()));
  node.fan_in(root);
  for (int rank = 0; b.self() == root && rank < b.rank_count(); ++rank)
    b.copy(rank == root ? b.contribution() : node.of(rank), b.blocks(b.output(), rank, rank + 1));
}

Cost fan_in_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm fan_in{
    .collective = Collective::kGather,
    .name = "fan_in",
    .summary = "within a node: the root takes every block from where its owner left it",
    .formula = "l + (n-1) m (2 c)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_fan_in,
    .cost = fan_in_cost,
};

}  // namespace weft::gather
