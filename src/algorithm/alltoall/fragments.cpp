// SPDX-License-Identifier: BSD-3-Clause
// Alltoall within a node for long blocks: fragment by fragment, everybody takes its own from what everybody
// left. Two sets of cells in turn, so that a rank may leave the next fragment while others take this one.
#include "algorithm/pattern/fragments.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::alltoall {

namespace {

void build_fragments(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  const Fragments cut(b.bytes(), parameters.fragment, b.call().element_bytes);
  const NodeMemory node(b, 2 * n, cut.largest() * n);
  const auto block = [&](Range of, int rank) { return of.part(b.bytes() * rank, b.bytes()); };
  for (int f = 0; f < cut.count(); ++f) {
    const auto cell = [&](int from, int to) {
      return node.cell(f % 2 * n + from, cut.size(f) * n).part(cut.size(f) * to, cut.size(f));
    };
    const auto fragment = [&](Range of, int rank) { return cut.of(block(of, rank), f); };
    for (int to = 0; to < n; ++to)
      if (to != b.self()) b.copy(fragment(b.contribution(), to), cell(b.self(), to));
    node.exchange();
    for (int from = 0; from < n; ++from)
      if (from != b.self()) b.copy(cell(from, b.self()), fragment(b.output(), from));
  }
  b.copy(block(b.contribution(), b.self()), block(b.output(), b.self()));
}

Cost fragments_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm fragments{
    .collective = Collective::kAlltoall,
    .name = "fragments",
    .summary = "within a node, long: fragment by fragment, everybody takes its own",
    .formula = "l m/f + 2 n m c",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_fragments,
    .cost = fragments_cost,
};

}  // namespace weft::alltoall
