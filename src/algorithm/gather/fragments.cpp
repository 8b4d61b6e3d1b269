// SPDX-License-Identifier: BSD-3-Clause
// Gather within a node for long blocks: fragment by fragment, the root takes what everybody left. Two sets of
// cells in turn, so that a rank may leave the next fragment while the root still takes this one; whoever has
// left the last one is free.
#include "algorithm/pattern/fragments.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/cells_in_turn.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::gather {

namespace {

void build_fragments(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count(), root = b.call().root.value;
  const bool is_root = b.self() == root;
  const Fragments cut(b.bytes(), parameters.fragment, b.call().element_bytes);
  const NodeMemory node(b, 2 * n, cut.largest());
  const CellsInTurn turns(b, root, CellsInTurn::Taker::kRoot, 2, cut.count());
  const auto block = [&](int rank) { return b.blocks(b.output(), rank, rank + 1); };
  for (int f = 0; f < cut.count(); ++f) {
    const auto cell = [&](int rank) { return node.cell(f % 2 * n + rank, cut.size(f)); };
    const Range set = node.cells(f % 2 * n, n);
    if (!is_root) {
      turns.wait_for_room(f, set);
      b.copy(cut.of(b.contribution(), f), cell(b.self()));
    }
    node.fan_in(b.members(), root, 0, set);
    if (!is_root) continue;
    for (int rank = 0; rank < n; ++rank)
      if (rank != root) b.copy(cell(rank), cut.of(block(rank), f));
    turns.say_taken(f, set);
  }
  if (is_root) b.copy(b.contribution(), block(root));
}

Cost fragments_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm fragments{
    .collective = Collective::kGather,
    .name = "fragments",
    .summary = "within a node, long: fragment by fragment, the root takes what everybody left",
    .formula = "l m/f + n m c",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_fragments,
    .cost = fragments_cost,
};

}  // namespace weft::gather
