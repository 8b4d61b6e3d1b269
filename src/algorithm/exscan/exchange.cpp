// SPDX-License-Identifier: BSD-3-Clause
// Exscan within a node: everybody leaves its value in its cell and combines those of the ranks before it.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::exscan {

namespace {

void build_exchange(Builder& b, const Parameters&) {
  const NodeMemory node(b, b.bytes());
  if (b.self() + 1 < b.rank_count()) b.copy(b.contribution(), node.of(b.self()));
  node.prefix();
  if (b.self() > 0) combine(b, node, Bracket::fold(b.self()), node.of(b.self()), b.output());
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * std::max(0, call.rank_count - 2)};
}

}  // namespace

extern constinit const Algorithm exchange{
    .collective = Collective::kExscan,
    .name = "exchange",
    .summary = "within a node: everybody combines what those before it have left",
    .formula = "l + m c + (n-2) m (c + g)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::exscan
