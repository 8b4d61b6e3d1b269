// SPDX-License-Identifier: BSD-3-Clause
// Allgather within a node without a stop in shared memory: everybody copies the blocks of all others out of
// their buffers, from its neighbour on, so that not all read the same one at the same time.
#include "algorithm/pattern/single_copy.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::allgather {

namespace {

void build_single_copy(Builder& b, const Parameters&) {
  const Ring ring{b.self(), b.rank_count()};
  SingleCopy node(b);
  const ExposedRanges contributions = node.expose(b, b.contribution());
  const auto block = [&](int rank) { return b.output().part(b.bytes() * rank, b.bytes()); };
  node.exchange(b);
  b.copy(b.contribution(), block(b.self()));
  for (int step = 1; step < ring.rank_count; ++step)
    b.copy(contributions.of(ring.back(step)), block(ring.back(step)));
  node.exchange(b);
}

Cost single_copy_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm single_copy{
    .collective = Collective::kAllgather,
    .name = "single_copy",
    .summary = "within a node, long: everybody reads the blocks of all others where they are",
    .formula = "2 l + n m c",
    .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
    .within_node = true,
    .single_copy = true,
    .eligible = can_expose_all,
    .scales = always,
    .build = build_single_copy,
    .cost = single_copy_cost,
};

}  // namespace weft::allgather
