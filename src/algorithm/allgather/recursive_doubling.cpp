// SPDX-License-Identifier: BSD-3-Clause
// Allgather by recursive doubling: in each round pairs exchange all they have. Few rounds: for small blocks.
//
//   4 ranks     round 0:  0 <-> 1   2 <-> 3      one block each way
//               round 1:  0 <-> 2   1 <-> 3      two blocks each way
//
//   6 ranks     before:   1 -> 0, 3 -> 2         extra ranks give their block to the proxy beside them,
//               after:    0 -> 1, 2 -> 3         and get everything back
//
// Extra ranks sit beside their proxies, so that what a rank has is always one range of the output. Thakur,
// Rabenseifner and Gropp (2005), section 4.1; extra ranks as in Cheetah (2013), section IV.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/aligned_groups.hpp"

namespace weft::allgather {

namespace {

void build_recursive_doubling(Builder& b, const Parameters&) {
  const AlignedGroups groups(b.rank_count(), 2);
  const int block = groups.block_of(b.self());
  const int proxy = groups.proxy(block);
  const auto of_ranks = [&](int first, int end) { return b.blocks(b.output(), first, end); };
  if (b.self() != proxy) {
    b.send(proxy, b.contribution());
    b.recv(proxy, b.output());
    return;
  }

  b.copy(b.contribution(), of_ranks(proxy, proxy + 1));
  for (const int extra : groups.extras(block)) b.recv(extra, of_ranks(extra, extra + 1));
  for (int round = 0; round < groups.rounds(); ++round) {
    const int stride = groups.stride(round);
    const int first = block / stride * stride;  // this rank has the blocks from here,
    const int other = first ^ stride;           // the partner has the neighbouring blocks, from here
    const int partner = groups.proxy(block ^ stride);
    b.recv(partner, of_ranks(groups.proxy(other), groups.proxy(other + stride)));
    b.send(partner, of_ranks(groups.proxy(first), groups.proxy(first + stride)));
  }
  for (const int extra : groups.extras(block)) b.send(extra, b.output());
}

Cost recursive_doubling_cost(const Call& call, const Parameters&) {
  const AlignedGroups groups(call.rank_count, 2);
  const int extras = groups.block_size(0) - 1;
  Cost cost{.rounds = groups.rounds() + (extras > 0 ? 2 : 0), .messages = groups.rounds() + extras};
  // Rank 0 pays most, for the longer blocks come first.
  for (int round = 0; round < groups.rounds(); ++round)
    cost.sent += call.bytes * groups.proxy(groups.stride(round));
  cost.sent += call.bytes * call.rank_count * extras;
  return cost;
}

}  // namespace

extern constinit const Algorithm recursive_doubling{
    .collective = Collective::kAllgather,
    .name = "recursive_doubling",
    .summary = "pairs exchange all they have, at distance 1, 2, 4, …; extra ranks through proxies",
    .formula = "(floor(log_2 n) + 2 [n != 2^i]) (L + 2o) + (n-1 + n [n != 2^i]) m G",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
    .scales = always,
    .build = build_recursive_doubling,
    .cost = recursive_doubling_cost,
};

}  // namespace weft::allgather
