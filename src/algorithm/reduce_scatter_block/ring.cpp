// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter around a ring: each block wanders once around, is added up on its way and ends where it
// belongs. Only neighbours talk to one another: for long blocks.
//
//   3 ranks     step    0 -> 1      1 -> 2      2 -> 0          block b starts at rank b + 1
//               0       block 2     block 0     block 1
//               1       block 1     block 2     block 0
//
// The order of operands differs between blocks: for operators that commute. Patarasuk, Yuan 2009, section 3
// (first half).
#include "algorithm/pattern/ring.hpp"

#include <algorithm>

#include "algorithm/algorithm.hpp"

namespace weft::reduce_scatter_block {

namespace {

void build_ring(Builder& b, const Parameters&) {
  const int n = b.rank_count();
  const Ring ring{b.self(), n};
  const auto own = [&](int block) { return b.blocks(b.contribution(), block, block + 1); };
  Bytes largest;
  for (int block = 0; block < n; ++block) largest = std::max(largest, own(block).size);
  const Range partial = b.scratch(largest * 2);

  Range sum = own(ring.back(1));
  for (int step = 0; step + 1 < n; ++step) {
    const Range next = own(ring.back(step + 2));
    b.send(ring.right(), sum);
    sum = partial.part(largest * (step % 2), next.size);
    b.recv(ring.left(), sum);
    b.reduce(next, sum);
  }
  b.copy(sum, b.output().part(Bytes(0), sum.size));
}

Cost ring_cost(const Call& call, const Parameters&) {
  const int steps = call.rank_count - 1;
  return {.rounds = steps, .messages = steps, .sent = call.bytes * steps, .reduced = call.bytes * steps};
}

}  // namespace

extern constinit const Algorithm ring{
    .collective = Collective::kReduceScatterBlock,
    .name = "ring",
    .summary = "every block goes around once and is added up on its way",
    .formula = "(n-1) (L + 2o) + (n-1) m (G + g)",
    .source = "Patarasuk, Yuan 2009, section 3",
    .eligible = if_commutative,
    .scales = always,
    .build = build_ring,
    .cost = ring_cost,
};

}  // namespace weft::reduce_scatter_block
