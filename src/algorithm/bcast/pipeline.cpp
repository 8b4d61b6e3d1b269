// SPDX-License-Identifier: BSD-3-Clause
// Bcast within a node for long messages: while the others take one fragment, the root leaves the next.
//
//   root      fill 0   fill 1   (0 taken?)  fill 2   (1 taken?)  fill 3 …        with two cells in turn
//   others             take 0               take 1               take 2 …
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/cells_in_turn.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::bcast {

namespace {

void build_pipeline(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value, cells = parameters.in_flight;
  const Fragments fragments(b.bytes(), parameters.fragment, b.call().element_bytes);
  const NodeMemory node(b, cells, fragments.largest());
  const CellsInTurn turns(b, root, CellsInTurn::Taker::kOthers, cells, fragments.count());
  for (int f = 0; f < fragments.count(); ++f) {
    const Range cell = node.cell(f % cells, fragments.size(f));
    const Range here = fragments.of(b.output(), f);
    if (b.self() == root) {
      turns.wait_for_room(f, node.cell(f % cells, fragments.largest()));
      b.copy(here, cell);
    }
    node.fan_out(root, 0, cell);
    if (b.self() == root) continue;
    b.copy(cell, here);
    turns.say_taken(f, cell);
  }
}

Cost pipeline_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm pipeline{
    .collective = Collective::kBcast,
    .name = "pipeline",
    .summary = "within a node, long: the root leaves a fragment while the others take the one before",
    .formula = "(l + f c) + m c",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_pipeline,
    .cost = pipeline_cost,
};

}  // namespace weft::bcast
