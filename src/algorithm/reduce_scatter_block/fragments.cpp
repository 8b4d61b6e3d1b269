// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter within a node for long blocks: fragment by fragment, everybody combines its own of what
// everybody left. Two sets of cells in turn, so that a rank may leave the next fragment while others combine
// this one. With MPI_IN_PLACE a rank leaves its own value as well, since its result lies where that does.
#include "algorithm/pattern/fragments.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::reduce_scatter_block {

namespace {

void build_fragments(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  const Fragments cut(largest_block(b, b.contribution()), parameters.fragment, b.call().element_bytes);
  const NodeMemory node(b, 2 * n, cut.largest() * n);
  const auto value = [&](int to, int f) { return cut.of(b.blocks(b.contribution(), to, to + 1), f); };
  const auto cell = [&](int from, int to, int f) {
    return node.cell(f % 2 * n + from, cut.largest() * n).part(cut.largest() * to, value(to, f).size);
  };
  const Bytes mine = b.blocks(b.contribution(), b.self(), b.self() + 1).size;
  const auto is_left = [&](int from, int to) { return from != to || (b.in_place() && n > 1); };
  for (int f = 0; f < cut.count(); ++f) {
    for (int to = 0; to < n; ++to)
      if (is_left(b.self(), to)) b.copy(value(to, f), cell(b.self(), to, f));
    node.exchange();
    const auto theirs = [&](int from) {
      return is_left(from, b.self()) ? cell(from, b.self(), f) : value(b.self(), f);
    };
    Bracket::fold(n).evaluate(
        b, cut.of(b.output().part(Bytes(0), mine), f), {},
        [&](int from, Range at) { b.copy(theirs(from), at); }, theirs);
  }
}

Cost fragments_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm fragments{
    .collective = Collective::kReduceScatterBlock,
    .name = "fragments",
    .summary = "within a node, long: fragment by fragment, everybody combines its own of what all left",
    .formula = "l m/f + (n-1) m (2 c + g)",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_fragments,
    .cost = fragments_cost,
};

}  // namespace weft::reduce_scatter_block
