// SPDX-License-Identifier: BSD-3-Clause
// Scatter within a node for long blocks: fragment by fragment, everybody takes what the root left for it. Two
// sets of cells in turn, so that the root may leave the next fragment while others still take this one; it is
// free when it has left the last one.
#include "algorithm/pattern/fragments.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/cells_in_turn.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::scatter {

namespace {

void build_fragments(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count(), root = b.call().root.value;
  const bool is_root = b.self() == root;
  const Fragments cut(b.bytes(), parameters.fragment, b.call().element_bytes);
  const NodeMemory node(b, 2 * n, cut.largest());
  const CellsInTurn turns(b, root, CellsInTurn::Taker::kOthers, 2, cut.count());
  const auto block = [&](int rank) { return b.blocks(b.contribution(), rank, rank + 1); };
  for (int f = 0; f < cut.count(); ++f) {
    const auto cell = [&](int rank) { return node.cell(f % 2 * n + rank, cut.size(f)); };
    const Range set = node.cells(f % 2 * n, n);
    if (is_root) turns.wait_for_room(f, set);
    for (int rank = 0; is_root && rank < n; ++rank)
      if (rank != root) b.copy(cut.of(block(rank), f), cell(rank));
    node.fan_out(root, 0, set);
    if (is_root) continue;
    b.copy(cell(b.self()), cut.of(b.output(), f));
    turns.say_taken(f, set);
  }
  if (is_root && !b.in_place()) b.copy(block(root), b.output());
}

Cost fragments_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm fragments{
    .collective = Collective::kScatter,
    .name = "fragments",
    .summary = "within a node, long: fragment by fragment, everybody takes what the root left for it",
    .formula = "l m/f + n m c + m c",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_fragments,
    .cost = fragments_cost,
};

}  // namespace weft::scatter
