// SPDX-License-Identifier: BSD-3-Clause
// Bcast within a node for long messages: while the others take one fragment, the root leaves the next.
//
//   root      fill 0   fill 1   (0 taken?)  fill 2   (1 taken?)  fill 3 …        two pieces in turn
//   others             take 0               take 1               take 2 …
#include "algorithm/builders.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_buffer.hpp"

namespace weft::bcast {

namespace {

constexpr int kPieces = 2;

}  // namespace

void pipeline(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value;
  const Fragments fragments(b.bytes(), parameters.fragment, Bytes(1));
  const NodeBuffer node(b, kPieces, fragments.largest());
  const Range taken = b.lines(node.group());
  for (int f = 0; f < fragments.count(); ++f) {
    const Range piece = node.piece(f % kPieces, fragments.size(f));
    const Range here = b.output().part(fragments.offset(f), fragments.size(f));
    if (b.self() == root) {
      if (f >= kPieces) b.fan_in(taken, node.group(), root, node.piece(f % kPieces, fragments.largest()));
      b.copy(here, piece);
    }
    node.fan_out(b, root, piece);
    if (b.self() == root) continue;
    b.copy(piece, here);
    if (f + kPieces < fragments.count()) b.fan_in(taken, node.group(), root, piece);
  }
}

Cost pipeline_cost(const Call&, const Parameters&) { return {}; }

}  // namespace weft::bcast
