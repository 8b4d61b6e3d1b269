// SPDX-License-Identifier: BSD-3-Clause
// Alltoall within a node without a stop in shared memory: everybody copies its blocks out of the others'
// buffers, from its neighbour on, so that not all read the same one at the same time. With MPI_IN_PLACE what
// others read is first copied away, because it is overwritten.
#include "algorithm/pattern/single_copy.hpp"

#include "algorithm/builders.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::alltoall {

void single_copy(Builder& b, const Parameters&) {
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

}  // namespace weft::alltoall
