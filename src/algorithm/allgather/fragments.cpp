// SPDX-License-Identifier: BSD-3-Clause
// Allgather within a node for long blocks: fragment by fragment, everybody takes what everybody left. Two
// sets of pieces in turn, so that a rank may leave the next fragment while others still take this one.
#include "algorithm/pattern/fragments.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_buffer.hpp"

namespace weft::allgather {

namespace {

void build_fragments(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  const Fragments cut(b.bytes(), parameters.fragment, Bytes(1));
  const NodeBuffer node(b, 2 * n, cut.largest());
  const auto block = [&](int rank) { return b.output().part(b.bytes() * rank, b.bytes()); };
  b.copy(b.contribution(), block(b.self()));
  for (int f = 0; f < cut.count(); ++f) {
    const auto piece = [&](int rank) { return node.piece(f % 2 * n + rank, cut.size(f)); };
    b.copy(b.contribution().part(cut.offset(f), cut.size(f)), piece(b.self()));
    node.exchange(b);
    for (int rank = 0; rank < n; ++rank)
      if (rank != b.self()) b.copy(piece(rank), block(rank).part(cut.offset(f), cut.size(f)));
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
    .build = build_fragments,
    .cost = fragments_cost,
};

}  // namespace weft::allgather
