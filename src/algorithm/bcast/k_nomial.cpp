// SPDX-License-Identifier: BSD-3-Clause
// Bcast along a k-nomial tree; with k = 2 the binomial tree of LibNBC's figure 1.
//
//   7 ranks, k = 2, root 0      rank 1:   recv 0 -> output
//        0                                send output -> 3
//      / | \                              send output -> 5
//     1  2  4
//    / \  \                     The two sends wait for the recv, not for each other.
//   3   5  6
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/k_nomial_tree.hpp"
#include "algorithm/pattern/rotation.hpp"

namespace weft::bcast {

namespace {

void build_k_nomial(Builder& b, const Parameters& parameters) {
  const KNomialTree tree(b.rank_count(), parameters.radix);
  const Rotation rotation{b.call().root.value, b.rank_count()};
  const int position = rotation.position_of(b.self());
  if (position != 0) b.recv(rotation.rank_at(tree.parent(position)), b.output());
  for (const int child : tree.children(position)) b.send(rotation.rank_at(child), b.output());
}

Cost k_nomial_cost(const Call& call, const Parameters& parameters) {
  const KNomialTree tree(call.rank_count, parameters.radix);
  const int messages = static_cast<int>(tree.children(0).size());
  return {.rounds = tree.rounds(), .messages = messages, .sent = call.bytes * messages};
}

}  // namespace

extern constinit const Algorithm k_nomial{
    .collective = Collective::kBcast,
    .name = "k_nomial",
    .summary = "whoever has the message gives it to k - 1 others per round",
    .formula = "ceil(log_k n) (L + 2o + (k-1) m G)",
    .source = "LibNBC, figure 1 (k = 2)",
    .has_radix = true,
    .scales = always,
    .build = build_k_nomial,
    .cost = k_nomial_cost,
};

}  // namespace weft::bcast
