// SPDX-License-Identifier: BSD-3-Clause
// Bcast within a node without a stop in shared memory: the others copy most of the message out of the root's
// buffer, and the root copies the rest of it into theirs, so that all cores copy for the same time.
//
//   n = 4      root's buffer   | 1st quarter | 2nd | 3rd |  last |
//              every other     |  it pulls all of these  | the root pushes this to each
#include "algorithm/pattern/single_copy.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::bcast {

namespace {

void build_single_copy(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  const Ring ring{b.self(), b.rank_count()};
  SingleCopy node(b);
  const Range arrived = b.lines(node.group());
  const ExposedRanges messages = node.expose(b, b.output());
  const Bytes element = b.call().element_bytes;
  const Bytes pushed = element * (b.bytes() / element / b.rank_count()), pulled = b.bytes() - pushed;

  // The root says first that it has come: the others wait for nobody else before they copy.
  node.fan_out(b, root);
  node.fan_in(b, arrived, root);
  if (b.self() != root) {
    b.copy(messages.of(root).part(Bytes(0), pulled), b.output().part(Bytes(0), pulled));
  } else {
    for (int step = 1; step < ring.rank_count; ++step)
      b.copy(b.output().part(pulled, pushed), messages.of(ring.back(-step)).part(pulled, pushed));
  }
  node.fan_out(b, root);
  node.fan_in(b, arrived, root);
}

Cost single_copy_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm single_copy{
    .collective = Collective::kBcast,
    .name = "single_copy",
    .summary = "within a node, long: the others read most of it from the root, who writes the rest to them",
    .formula = "2 l + (n-1)/n m c",
    .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
    .within_node = true,
    .single_copy = true,
    .eligible = can_expose_all,
    .scales = always,
    .build = build_single_copy,
    .cost = single_copy_cost,
};

}  // namespace weft::bcast
