// SPDX-License-Identifier: BSD-3-Clause
// Barrier by k-ary dissemination.
//
//   4 ranks, k = 2      round 0:  0 -> 1 -> 2 -> 3 -> 0        round 1:  0 <-> 2   1 <-> 3
//
// Whoever has heard from everyone, at first or second hand, may leave. Hensgen, Finkel and Manber (1988),
// section 3; with more than one message per round: Hoefler et al., n-way dissemination (2006).
#include "algorithm/pattern/dissemination.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::barrier {

namespace {

void build_dissemination(Builder& b, const Parameters& parameters) {
  const Ring ring{b.self(), b.rank_count()};
  bool first = true;
  for (const auto& distances : dissemination_rounds(b.rank_count(), parameters.radix)) {
    // Signals read and write nothing, so that only a join keeps one round behind the other.
    if (!first) b.join();
    first = false;
    for (const int distance : distances) b.await_signal(ring.back(distance));
    for (const int distance : distances) b.signal(ring.back(-distance));
  }
}

Cost dissemination_cost(const Call& call, const Parameters& parameters) {
  const auto rounds = dissemination_rounds(call.rank_count, parameters.radix);
  Cost cost{.rounds = static_cast<int>(rounds.size())};
  for (const auto& distances : rounds) cost.messages += static_cast<int>(distances.size());
  return cost;
}

}  // namespace

extern constinit const Algorithm dissemination{
    .collective = Collective::kBarrier,
    .name = "dissemination",
    .summary = "tell the ranks at distance 1, k, k^2, …; leave when told by as many",
    .formula = "ceil(log_k n) (L + 2o)",
    .source = "Hensgen, Finkel, Manber 1988, section 3",
    .has_radix = true,
    .build = build_dissemination,
    .cost = dissemination_cost,
};

}  // namespace weft::barrier
