// SPDX-License-Identifier: BSD-3-Clause
// Scan within a node: everybody but the last leaves its value in its cell, and combines its own with those of
// the ranks before it.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::scan {

namespace {

void build_exchange(Builder& b, const Parameters&) {
  const NodeMemory node(b, b.bytes());
  if (b.self() + 1 < b.rank_count()) b.copy(b.contribution(), node.of(b.self()));
  node.prefix();
  combine(b, node, Bracket::fold(b.self() + 1), b.contribution(), b.output());
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm exchange{
    .collective = Collective::kScan,
    .name = "exchange",
    .summary = "within a node: everybody combines what those before it have left with its own",
    .formula = "l + m c + (n-1) m (c + g)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::scan
