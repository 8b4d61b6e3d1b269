// SPDX-License-Identifier: BSD-3-Clause
// Alltoall, pair by pair: every block goes straight to its receiver.
//
//   step s: rank r sends to r + s and receives from r - s       so that in no step two ranks send to one
//
// The steps only say in which order messages are issued: nothing waits for anything. With MPI_IN_PLACE what
// is sent is first copied away, because it is overwritten in no particular order. Thakur, Rabenseifner and
// Gropp (2005), section 4.3.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::alltoall {

namespace {

void build_pairwise(Builder& b, const Parameters&) {
  const Ring ring{b.self(), b.rank_count()};
  const auto block = [&](Range whole, int rank) { return b.blocks(whole, rank, rank + 1); };
  Range outgoing = b.contribution();
  if (b.in_place()) {
    outgoing = b.scratch(b.output().size);
    b.copy(b.output(), outgoing);
  }
  for (int step = 1; step < ring.rank_count; ++step)
    b.recv(ring.back(step), block(b.output(), ring.back(step)));
  for (int step = 1; step < ring.rank_count; ++step)
    b.send(ring.back(-step), block(outgoing, ring.back(-step)));
  if (!b.in_place()) b.copy(block(outgoing, ring.self), block(b.output(), ring.self));
}

Cost pairwise_cost(const Call& call, const Parameters&) {
  const int messages = call.rank_count - 1;
  return {.rounds = 1, .messages = messages, .sent = call.bytes * messages};
}

}  // namespace

extern constinit const Algorithm pairwise{
    .collective = Collective::kAlltoall,
    .name = "pairwise",
    .summary = "every block straight to its receiver, nearest first",
    .formula = "L + 2o + (n-1) m G",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.3",
    .scales = always,
    .build = build_pairwise,
    .cost = pairwise_cost,
};

}  // namespace weft::alltoall
