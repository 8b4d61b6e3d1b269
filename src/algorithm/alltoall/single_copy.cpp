// SPDX-License-Identifier: BSD-3-Clause
// Alltoall within a node without a stop in shared memory: everybody copies its blocks out of the others'
// buffers, from its neighbour on, so that not all read the same one at the same time. With MPI_IN_PLACE what
// others read is first copied away, because it is overwritten.
#include "algorithm/pattern/single_copy.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::alltoall {

namespace {

void build_single_copy(Builder& b, const Parameters&) {
  const Ring ring{b.self(), b.rank_count()};
  const auto block = [&](Range of, int rank) { return of.part(b.bytes() * rank, b.bytes()); };
  SingleCopy node(b);
  Range outgoing = b.contribution();
  if (b.in_place()) {
    outgoing = b.scratch(b.output().size);
    b.copy(b.output(), outgoing);
  }
  const ExposedRanges contributions = node.expose(b, outgoing);
  node.exchange(b);
  if (!b.in_place()) b.copy(block(outgoing, ring.self), block(b.output(), ring.self));
  for (int step = 1; step < ring.rank_count; ++step) {
    const int from = ring.back(step);
    b.copy(block(contributions.of(from), ring.self), block(b.output(), from));
  }
  node.exchange(b);
}

Cost single_copy_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm single_copy{
    .collective = Collective::kAlltoall,
    .name = "single_copy",
    .summary = "within a node, long: everybody reads its blocks where the others have them",
    .formula = "2 l + n m c",
    .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
    .within_node = true,
    .single_copy = true,
    .eligible = can_expose_all,
    .scales = always,
    .build = build_single_copy,
    .cost = single_copy_cost,
};

}  // namespace weft::alltoall
