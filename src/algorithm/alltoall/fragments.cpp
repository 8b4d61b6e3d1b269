// SPDX-License-Identifier: BSD-3-Clause
// Alltoall within a node for long blocks: fragment by fragment, everybody takes its own from what everybody
// left. Two sets of pieces in turn, so that a rank may leave the next fragment while others take this one.
#include "algorithm/pattern/fragments.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_buffer.hpp"

namespace weft::alltoall {

namespace {

void build_fragments(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  const Fragments cut(b.bytes(), parameters.fragment, Bytes(1));
  const NodeBuffer node(b, 2 * n, cut.largest() * n);
  const auto block = [&](Range of, int rank) { return of.part(b.bytes() * rank, b.bytes()); };
  for (int f = 0; f < cut.count(); ++f) {
    const auto piece = [&](int from, int to) {
      return node.piece(f % 2 * n + from, cut.size(f) * n).part(cut.size(f) * to, cut.size(f));
    };
    const auto fragment = [&](Range of, int rank) {
      return block(of, rank).part(cut.offset(f), cut.size(f));
    };
    for (int to = 0; to < n; ++to)
      if (to != b.self()) b.copy(fragment(b.contribution(), to), piece(b.self(), to));
    node.exchange(b);
    for (int from = 0; from < n; ++from)
      if (from != b.self()) b.copy(piece(from, b.self()), fragment(b.output(), from));
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
    .build = build_fragments,
    .cost = fragments_cost,
};

}  // namespace weft::alltoall
