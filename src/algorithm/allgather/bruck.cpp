// SPDX-License-Identifier: BSD-3-Clause
// Allgather by Bruck's algorithm: in each round a rank hands the first blocks that it has to ranks at
// distance k^i, 2 k^i, … before it, and takes as many from those after it. The fewest rounds for any number
// of ranks.
//
//   5 ranks, k = 2     rank 0 has 0   then 0 1   then 0 1 2 3   then 0 1 2 3 4
//                      rank 3 has 3        3 4        3 4 0 1        3 4 0 1 2      turned at the end
//
// Blocks are kept in the order in which they come, from the own one on; only rank 0's is that of the output.
// With a radix as large as the number of ranks each hands its block to all others, and nothing is turned.
// J. Bruck et al., IEEE Transactions on Parallel and Distributed Systems 8 (1997), section 4 (concatenation).
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/dissemination.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::allgather {

namespace {

void build_in_one_round(Builder& b) {
  const Ring ring{b.self(), b.rank_count()};
  const auto block = [&](int rank) { return b.blocks(b.output(), rank, rank + 1); };
  b.copy(b.contribution(), block(ring.self));
  for (int distance = 1; distance < b.rank_count(); ++distance) {
    b.recv(ring.back(-distance), block(ring.back(-distance)));
    b.send(ring.back(distance), b.contribution());
  }
}

void build_bruck(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  if (n <= parameters.radix) return build_in_one_round(b);
  const Ring ring{b.self(), n};
  const auto ranks = [&](int first, int end) { return b.blocks(b.output(), first, end); };
  const int until_turn = n - ring.self;
  const Bytes before_turn = ranks(ring.self, n).size;
  const auto offset = [&](int place) {
    return place <= until_turn ? ranks(ring.self, ring.self + place).size
                               : before_turn + ranks(0, place - until_turn).size;
  };
  const Range gathered = ring.self == 0 ? b.output() : b.scratch(b.output().size);
  const auto places = [&](int first, int end) {
    return gathered.part(offset(first), offset(end) - offset(first));
  };

  b.copy(b.contribution(), places(0, 1));
  for (const auto& distances : dissemination_rounds(n, parameters.radix))
    for (const int distance : distances) {
      const int count = std::min(distances.front(), n - distance);
      b.recv(ring.back(-distance), places(distance, distance + count));
      b.send(ring.back(distance), places(0, count));
    }
  b.copy(places(0, until_turn), ranks(ring.self, n));
  b.copy(places(until_turn, n), ranks(0, ring.self));
}

Cost bruck_cost(const Call& call, const Parameters& parameters) {
  const auto rounds = dissemination_rounds(call.rank_count, parameters.radix);
  Cost cost{.rounds = static_cast<int>(rounds.size()), .sent = call.bytes * (call.rank_count - 1)};
  for (const auto& distances : rounds) cost.messages += static_cast<int>(distances.size());
  return cost;
}

}  // namespace

extern constinit const Algorithm bruck{
    .collective = Collective::kAllgather,
    .name = "bruck",
    .summary = "hand on the first blocks that came, to k^i ranks before",
    .formula = "ceil(log_k n) (L + 2o) + (n-1) m G",
    .source = "Bruck et al. 1997, section 4",
    .has_radix = true,
    .scales = always,
    .build = build_bruck,
    .cost = bruck_cost,
};

}  // namespace weft::allgather
