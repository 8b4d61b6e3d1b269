// SPDX-License-Identifier: BSD-3-Clause
// Bcast within a node without a stop in shared memory: the others copy most of the message out of the root's
// buffer, and the root copies the rest of it into theirs, so that all cores copy for the same time.
//
//   n = 4      root's buffer   | 1st quarter | 2nd | 3rd |  last |
//              every other     |  it pulls all of these  | the root pushes this to each
#include "algorithm/pattern/single_copy.hpp"

#include "algorithm/builders.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::bcast {

void single_copy(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  const Ring ring{b.self(), b.rank_count()};
  SingleCopy node(b);
  const Range arrived = b.lines(node.group());
  const ExposedRanges messages = node.expose(b, b.output());
  const Bytes pushed = b.bytes() / b.rank_count(), pulled = b.bytes() - pushed;

  // The root first, so that nobody waits for another but it.
  node.fan_out(b, root);
  node.fan_in(b, arrived, root);
  if (b.self() != root) {
    b.copy(messages.of(root).part(Bytes(0), pulled), b.output().part(Bytes(0), pulled));
  } else if (pushed > Bytes(0)) {
    for (int step = 1; step < ring.rank_count; ++step)
      b.copy(b.output().part(pulled, pushed), messages.of(ring.back(-step)).part(pulled, pushed));
  }
  node.fan_out(b, root);
  node.fan_in(b, arrived, root);
}

Cost single_copy_cost(const Call&, const Parameters&) { return {}; }

}  // namespace weft::bcast
