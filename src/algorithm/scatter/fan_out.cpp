// SPDX-License-Identifier: BSD-3-Clause
// Scatter within a node: the root leaves every block in a cell of its own, all of them in its line if they
// fit there, and everybody takes the own one.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::scatter {

namespace {

void build_fan_out(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  const bool in_line = b.bytes() * b.rank_count() <= kLineBytes;
  const NodeMemory node = in_line ? NodeMemory(b, Bytes(0)) : NodeMemory(b, b.rank_count(), b.bytes());
  const auto cell = [&](int rank) {
    return in_line ? node.lines().part(kLineStride * root + b.bytes() * rank, b.bytes())
                   : node.cell(rank, b.bytes());
  };
  const auto block = [&](int rank) { return b.blocks(b.contribution(), rank, rank + 1); };
  for (int rank = 0; b.self() == root && rank < b.rank_count(); ++rank)
    if (rank != root) b.copy(block(rank), cell(rank));
  node.fan_out(root, 0, node.cells());
  if (b.self() != root) b.copy(cell(b.self()), b.output());
  else if (!b.in_place()) b.copy(block(root), b.output());
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
    .scales = always,
    .build = build_fan_out,
    .cost = fan_out_cost,
};

}  // namespace weft::scatter
