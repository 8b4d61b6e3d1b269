// SPDX-License-Identifier: BSD-3-Clause
// Alltoall by Bruck's algorithm: blocks travel in jumps of k^i, one for each digit of their distance,
// together with all others that jump as far. Few messages, each byte sent more than once: for short blocks,
// all of one size.
//
//   5 ranks, k = 2     the block for the rank at distance 3 = 011 (binary) jumps by 1, then by 2
//                      round 0: places 1 3     round 1: places 2 3     round 2: place 4
//
// Place i is first the block for the rank at distance i, in the end that from the rank at distance i. J.
// Bruck et al., IEEE Transactions on Parallel and Distributed Systems 8 (1997), section 3 (index).
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/dissemination.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::alltoall {

namespace {

// Calls visit(first, end) for the runs of places that jump by `distance`: those whose digit of this round
// says so.
template <class Visit>
void for_runs(int count, int stride, int radix, int distance, Visit visit) {
  for (std::int64_t first = distance; first < count; first += std::int64_t{stride} * radix)
    visit(static_cast<int>(first), static_cast<int>(std::min<std::int64_t>(count, first + stride)));
}

int jumping(int count, int stride, int radix, int distance) {
  int places = 0;
  for_runs(count, stride, radix, distance, [&](int first, int end) { places += end - first; });
  return places;
}

void build_bruck(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  const int self = b.self();
  const Ring ring{self, n};
  const Range all = b.scratch(b.bytes() * n);
  const Range leaving = b.scratch(b.bytes() * n);
  const Range arriving = b.scratch(b.bytes() * n);
  const auto places = [&](int first, int end) {
    return all.part(b.bytes() * first, b.bytes() * (end - first));
  };

  b.copy(b.blocks(b.contribution(), self, n), places(0, n - self));
  b.copy(b.blocks(b.contribution(), 0, self), places(n - self, n));
  for (const auto& distances : dissemination_rounds(n, parameters.radix)) {
    const int stride = distances.front();
    Bytes packed;
    for (const int distance : distances) {
      const Bytes size = b.bytes() * jumping(n, stride, parameters.radix, distance);
      const Range out = leaving.part(packed, size);
      const Range in = arriving.part(packed, size);
      packed += size;
      const auto for_packed = [&](auto visit) {
        Bytes at;
        for_runs(n, stride, parameters.radix, distance, [&](int first, int end) {
          visit(places(first, end), at);
          at += places(first, end).size;
        });
      };
      b.recv(ring.back(distance), in);
      for_packed([&](Range run, Bytes at) { b.copy(run, out.part(at, run.size)); });
      b.send(ring.back(-distance), out);
      for_packed([&](Range run, Bytes at) { b.copy(in.part(at, run.size), run); });
    }
  }
  for (int distance = 0; distance < n; ++distance) {
    const int from = ring.back(distance);
    b.copy(places(distance, distance + 1), b.blocks(b.output(), from, from + 1));
  }
}

Cost bruck_cost(const Call& call, const Parameters& parameters) {
  const auto rounds = dissemination_rounds(call.rank_count, parameters.radix);
  Cost cost{.rounds = static_cast<int>(rounds.size())};
  for (const auto& distances : rounds)
    for (const int distance : distances) {
      cost.messages += 1;
      cost.sent += call.bytes * jumping(call.rank_count, distances.front(), parameters.radix, distance);
    }
  return cost;
}

}  // namespace

extern constinit const Algorithm bruck{
    .collective = Collective::kAlltoall,
    .name = "bruck",
    .summary = "blocks jump by k^i together, one jump for each digit of their distance",
    .formula = "ceil(log_k n) (L + 2o) + n (k-1)/k log_k n m G",
    .source = "Bruck et al. 1997, section 3",
    .has_radix = true,
    .scales = always,
    .build = build_bruck,
    .cost = bruck_cost,
};

}  // namespace weft::alltoall
