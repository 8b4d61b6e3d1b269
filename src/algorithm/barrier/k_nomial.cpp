// SPDX-License-Identifier: BSD-3-Clause
// Barrier up a k-nomial tree and down again: two messages per rank, the fewest that there can be, but twice
// as many rounds as where everybody tells others in each round.
//
//   4 ranks, k = 4      up:  1 -> 0  2 -> 0  3 -> 0        down:  0 -> 1  0 -> 2  0 -> 3
//
// Mellor-Crummey and Scott (1991), section 3.5, between processes.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/k_nomial_tree.hpp"

namespace weft::barrier {

namespace {

void build_k_nomial(Builder& b, const Parameters& parameters) {
  const KNomialTree tree(b.rank_count(), parameters.radix);
  const std::vector<int> children = tree.children(b.self());
  for (const int child : children) b.await_signal(child);
  // Signals read and write nothing, so that only joins keep the way down behind the way up.
  if (!children.empty()) b.join();
  if (b.self() != 0) {
    const int parent = tree.parent(b.self());
    b.signal(parent);
    b.await_signal(parent);
    if (!children.empty()) b.join();
  }
  for (const int child : children) b.signal(child);
}

Cost k_nomial_cost(const Call& call, const Parameters& parameters) {
  const KNomialTree tree(call.rank_count, parameters.radix);
  const int messages = static_cast<int>(tree.children(0).size());
  return {.rounds = 2 * tree.rounds(), .messages = messages};
}

}  // namespace

extern constinit const Algorithm k_nomial{
    .collective = Collective::kBarrier,
    .name = "k_nomial",
    .summary = "up a k-nomial tree and down again: the fewest messages",
    .formula = "2 ceil(log_k n) (L + 2o)",
    .source = "Mellor-Crummey, Scott 1991, section 3.5",
    .has_radix = true,
    .build = build_k_nomial,
    .cost = k_nomial_cost,
};

}  // namespace weft::barrier
