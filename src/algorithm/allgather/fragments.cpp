// SPDX-License-Identifier: BSD-3-Clause
// Allgather within a node for long blocks: fragment by fragment, everybody takes what everybody left. Two
// sets of cells in turn, so that a rank may leave the next fragment while others still take this one.
#include "algorithm/pattern/fragments.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::allgather {

namespace {

void build_fragments(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  const Fragments cut(largest_block(b, b.output()), parameters.fragment, b.call().element_bytes);
  const NodeMemory node(b, 2 * n, cut.largest());
  const auto block = [&](int rank) { return b.blocks(b.output(), rank, rank + 1); };
  for (int f = 0; f < cut.count(); ++f) {
    const auto fragment = [&](int rank) { return cut.of(block(rank), f); };
    const auto cell = [&](int rank) { return node.cell(f % 2 * n + rank, fragment(rank).size); };
    if (n > 1) b.copy(cut.of(b.contribution(), f), cell(b.self()));
    node.exchange();
    for (int rank = 0; rank < n; ++rank)
      if (rank != b.self()) b.copy(cell(rank), fragment(rank));
    b.copy(cut.of(b.contribution(), f), fragment(b.self()));  // last, since nobody waits for it
  }
}

Cost fragments_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm fragments{
    .collective = Collective::kAllgather,
    .name = "fragments",
    .summary = "within a node, long: fragment by fragment, everybody takes what everybody left",
    .formula = "l m/f + n m c",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_fragments,
    .cost = fragments_cost,
};

}  // namespace weft::allgather
