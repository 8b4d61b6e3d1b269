// SPDX-License-Identifier: BSD-3-Clause
// Barrier by recursive k-ing: in each round groups of k tell one another whom they have heard from; for k = 2
// pairwise exchange with recursive doubling. Cheetah (2013), section IV.
//
//   k = 3, 11 ranks     before:   1 -> 0, 3 -> 2              extra ranks to their proxies
//                       round 0:  blocks (0,1,2) (3,4,5) …    round 1:  blocks (0,3,6) (1,4,7) (2,5,8)
//                       after:    0 -> 1, 2 -> 3
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/aligned_groups.hpp"

namespace weft::barrier {

namespace {

void build_recursive_k_ing(Builder& b, const Parameters& parameters) {
  const AlignedGroups groups(b.rank_count(), parameters.radix);
  const int block = groups.block_of(b.self());
  const int proxy = groups.proxy(block);
  if (b.self() != proxy) {
    b.signal(proxy);
    b.await_signal(proxy);
    return;
  }
  for (const int extra : groups.extras(block)) b.await_signal(extra);
  for (int round = 0; round < groups.rounds(); ++round) {
    // Signals read and write nothing, so that only a join keeps one round behind the other.
    if (round > 0 || groups.block_size(block) > 1) b.join();
    const std::vector<int> others = groups.other_proxies(block, round);
    for (const int peer : others) b.await_signal(peer);
    for (const int peer : others) b.signal(peer);
  }
  if (groups.block_size(block) > 1) b.join();
  for (const int extra : groups.extras(block)) b.signal(extra);
}

Cost recursive_k_ing_cost(const Call& call, const Parameters& parameters) {
  const AlignedGroups groups(call.rank_count, parameters.radix);
  return {.rounds = groups.rounds() + (groups.has_extras() ? 2 : 0),
          .messages = groups.rounds() * (parameters.radix - 1) + groups.block_size(0) - 1};
}

}  // namespace

extern constinit const Algorithm recursive_k_ing{
    .collective = Collective::kBarrier,
    .name = "recursive_k_ing",
    .summary = "groups of k tell one another whom they heard from, then groups of groups",
    .formula = "(floor(log_k n) + 2 [n != k^i]) (L + 2o)",
    .source = "Cheetah 2013, section IV",
    .has_radix = true,
    .build = build_recursive_k_ing,
    .cost = recursive_k_ing_cost,
};

}  // namespace weft::barrier
