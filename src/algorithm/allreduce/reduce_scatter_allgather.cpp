// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as reduce-scatter and allgather (Rabenseifner): pairs halve the vector until each block of ranks
// has the sum of one part, then the same pairs exchange what they have, backwards. Every rank sends about
// twice the vector, as around a ring, in few rounds: for long messages; and operands stay in rank order.
//
//   4 ranks     halve     0 <-> 1, 2 <-> 3     0 <-> 2, 1 <-> 3       0 has part 0, 1: 2, 2: 1, 3: 3
//               double    0 <-> 2, 1 <-> 3     0 <-> 1, 2 <-> 3
//
// Extra ranks hand their vector to the proxy beside them and get the result back. R. Rabenseifner, ICCS 2004,
// section 2.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/halving.hpp"

namespace weft::allreduce {

namespace {

void build_reduce_scatter_allgather(Builder& b, const Parameters&) {
  const Halving halving(b.rank_count(), b.bytes(), b.call().element_bytes);
  const AlignedGroups& groups = halving.groups();
  const int block = groups.block_of(b.self());
  const int proxy = groups.proxy(block);
  if (b.self() != proxy) {
    b.send(proxy, b.contribution());
    b.recv(proxy, b.output());
    return;
  }
  Partial sum(b, b.contribution(), b.output());
  halving.reduce_scatter(b, block, sum);
  const auto result = [&](Range part) { return b.output().part(part.offset, part.size); };
  const Range own = halving.held(block, halving.rounds());
  b.copy(sum.value().part(own.offset, own.size), result(own));
  for (int round = halving.rounds() - 1; round >= 0; --round) {
    const int other = halving.partner(block, round);
    const int peer = groups.proxy(other);
    const Range mine = halving.held(block, round + 1);
    const Range theirs = halving.held(other, round + 1);
    b.recv(peer, result(theirs));
    b.send(peer, result(mine));
  }
  for (const int extra : groups.extras(block)) b.send(extra, b.output());
}

Cost reduce_scatter_allgather_cost(const Call& call, const Parameters&) {
  const Halving halving(call.rank_count, call.bytes, call.element_bytes);
  const AlignedGroups& groups = halving.groups();
  Cost cost{.rounds = 2 * halving.rounds() + (groups.has_extras() ? 2 : 0)};
  for (int block = 0; block < groups.blocks(); ++block) {
    const int extras = groups.block_size(block) - 1;
    Cost own{.messages = extras, .sent = call.bytes * extras, .reduced = call.bytes * extras};
    for (int round = 0; round < halving.rounds(); ++round) {
      const Bytes mine = halving.held(block, round + 1).size;
      const Bytes theirs = halving.held(halving.partner(block, round), round + 1).size;
      own.messages += (mine > Bytes(0) ? 1 : 0) + (theirs > Bytes(0) ? 1 : 0);
      own.sent += mine + theirs;
      own.reduced += mine;
    }
    cost.messages = std::max(cost.messages, own.messages);
    cost.sent = std::max(cost.sent, own.sent);
    cost.reduced = std::max(cost.reduced, own.reduced);
  }
  if (groups.has_extras()) cost.messages = std::max(cost.messages, 1);
  return cost;
}

}  // namespace

extern constinit const Algorithm reduce_scatter_allgather{
    .collective = Collective::kAllreduce,
    .name = "reduce_scatter_allgather",
    .summary = "pairs halve the vector and combine their halves, then exchange them backwards",
    .formula = "2 (floor(log_2 n) + [n != 2^i]) (L + 2o) + 2 m G + m g",
    .source = "Rabenseifner 2004, section 2",
    .build = build_reduce_scatter_allgather,
    .cost = reduce_scatter_allgather_cost,
};

}  // namespace weft::allreduce
