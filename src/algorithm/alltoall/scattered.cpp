// SPDX-License-Identifier: BSD-3-Clause
// Alltoall with a window: every block straight to its receiver, as pair by pair, but only so many at a time.
// Where all at once would jam the network or the matching of messages.
//
// With MPI_IN_PLACE what is sent is first copied away, because it is overwritten in no particular order.
// Thakur, Rabenseifner and Gropp (2005), section 4.3 (scattered destinations).
#include "algorithm/catalog.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft::alltoall {

namespace {

void build_scattered(Builder& b, const Parameters& parameters) {
  Range outgoing = b.contribution();
  if (b.in_place()) {
    outgoing = b.scratch(b.output().size);
    b.copy(b.output(), outgoing);
  }
  std::vector<Letter> out, in;
  for (int rank = 0; rank < b.rank_count(); ++rank) {
    if (rank == b.self() && b.in_place()) continue;
    out.push_back({rank, b.blocks(outgoing, rank, rank + 1)});
    in.push_back({rank, b.blocks(b.output(), rank, rank + 1)});
  }
  exchange_letters(b, out, in, parameters.window);
}

Cost scattered_cost(const Call& call, const Parameters& parameters) {
  Cost cost = pairwise.cost(call, parameters);
  cost.rounds = window_count(call.rank_count, parameters.window);
  return cost;
}

}  // namespace

extern constinit const Algorithm scattered{
    .collective = Collective::kAlltoall,
    .name = "scattered",
    .summary = "every block straight to its receiver, at most w at a time",
    .formula = "(n-1)/w (L + 2o) + (n-1) m G",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.3",
    .has_window = true,
    .scales = always,
    .build = build_scattered,
    .cost = scattered_cost,
};

}  // namespace weft::alltoall
