// SPDX-License-Identifier: BSD-3-Clause
// Allgather around a ring: everyone's block wanders once around. Each byte is sent once per rank and only to
// a neighbour: for large blocks.
//
//   3 ranks     step    0 -> 1      1 -> 2      2 -> 0
//               0       block 0     block 1     block 2
//               1       block 2     block 0     block 1
//
// Chan, Heimlich, Purkayastha and van de Geijn (2007), section 4.2 (bucket algorithm).
#include "algorithm/pattern/ring.hpp"

#include "algorithm/algorithm.hpp"

namespace weft::allgather {

namespace {

void build_ring(Builder& b, const Parameters&) {
  const Ring ring{b.self(), b.rank_count()};
  const auto block = [&](int rank) { return b.blocks(b.output(), rank, rank + 1); };
  Range newest = b.contribution();
  for (int step = 0; step + 1 < ring.rank_count; ++step) {
    b.send(ring.right(), newest);
    newest = block(ring.back(step + 1));
    b.recv(ring.left(), newest);
  }
  b.copy(b.contribution(), block(ring.self));
}

Cost ring_cost(const Call& call, const Parameters&) {
  const int steps = call.rank_count - 1;
  return {.rounds = steps, .messages = steps, .sent = call.bytes * steps};
}

}  // namespace

extern constinit const Algorithm ring{
    .collective = Collective::kAllgather,
    .name = "ring",
    .summary = "every block goes around once, from neighbour to neighbour",
    .formula = "(n-1) (L + 2o + m G)",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn 2007, section 4.2",
    .scales = always,
    .build = build_ring,
    .cost = ring_cost,
};

}  // namespace weft::allgather
