// SPDX-License-Identifier: BSD-3-Clause
// Barrier by k-ary dissemination.
//
//   4 ranks, k = 2      round 0:  0 -> 1 -> 2 -> 3 -> 0        round 1:  0 <-> 2   1 <-> 3
//
// Whoever has heard from everyone, at first or second hand, may leave. Hensgen, Finkel and Manber (1988),
// section 3; with more than one message per round: Hoefler et al., n-way dissemination (2006).
#include "algorithm/pattern/dissemination.hpp"

#include "algorithm/builders.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::barrier {

void dissemination(Builder& b, const Parameters& parameters) {
  const Ring ring{b.self(), b.rank_count()};
  const Range nothing = b.output();
  bool first = true;
  for (const auto& distances : dissemination_distances(b.rank_count(), parameters.radix)) {
    // Messages without bytes leave no trace that the next round's could wait for.
    if (!first) b.join();
    first = false;
    for (const int distance : distances) b.recv(ring.back(distance), nothing);
    for (const int distance : distances) b.send(ring.back(-distance), nothing);
  }
}

Cost dissemination_cost(const Call& call, const Parameters& parameters) {
  const auto rounds = dissemination_distances(call.rank_count, parameters.radix);
  Cost cost{.rounds = static_cast<int>(rounds.size())};
  for (const auto& distances : rounds) cost.messages += static_cast<int>(distances.size());
  return cost;
}

}  // namespace weft::barrier
