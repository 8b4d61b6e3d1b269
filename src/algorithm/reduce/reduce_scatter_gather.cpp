// SPDX-License-Identifier: BSD-3-Clause
// Reduce as reduce-scatter and gather: pairs halve the vector until each block of ranks has the sum of one
// part, and the parts climb to the root by the same pairs. Every rank sends and combines the vector about
// once, whatever the number of ranks: for long messages.
//
//   4 ranks, root 0     halve     0 <-> 1, 2 <-> 3     0 <-> 2, 1 <-> 3       0 has part 0, 1: 2, 2: 1, 3: 3
//                       gather    2 -> 0, 3 -> 1       1 -> 0
//
// Extra ranks hand their vector to the proxy beside them first. Operands stay in rank order, and the bracket
// is the same for every root. R. Rabenseifner, ICCS 2004, section 2.
#include <algorithm>
#include <bit>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/halving.hpp"

namespace weft::reduce {

namespace {

// Parts go to the blocks that agree with the root's in ever more digits, the last to its own.
void gather(Builder& b, const Halving& halving, int block, int root_block, Range sum) {
  for (int round = halving.rounds() - 1; round >= 0; --round) {
    const int other = halving.partner(block, round);
    const int peer = halving.groups().proxy(other);
    const Range mine = halving.held(block, round + 1);
    const Range theirs = halving.held(other, round + 1);
    if (((block ^ root_block) >> round & 1) != 0) {
      b.send(peer, sum.part(mine.offset, mine.size));
      return;
    }
    b.recv(peer, sum.part(theirs.offset, theirs.size));
  }
}

void build_reduce_scatter_gather(Builder& b, const Parameters&) {
  const Halving halving(b.rank_count(), b.bytes(), b.call().element_bytes);
  const AlignedGroups& groups = halving.groups();
  const int root = b.call().root.value;
  const int root_block = groups.block_of(root);
  const int block = groups.block_of(b.self());
  const int proxy = groups.proxy(block);
  if (b.self() != proxy) {
    b.send(proxy, b.contribution());
    if (b.self() == root) b.recv(proxy, b.output());
    return;
  }
  Partial sum(b, b.contribution(), b.self() == root ? std::optional(b.output()) : std::nullopt);
  halving.reduce_scatter(b, block, sum);
  // This rank has the sum of its own part alone: the room of the other parts is free for those that it
  // gathers.
  const Range all = b.self() == root ? b.output() : sum.home();
  const Range own = halving.held(block, halving.rounds());
  b.copy(sum.value().part(own.offset, own.size), all.part(own.offset, own.size));
  gather(b, halving, block, root_block, all);
  if (block == root_block && proxy != root) b.send(root, all);
}

Cost reduce_scatter_gather_cost(const Call& call, const Parameters&) {
  const Halving halving(call.rank_count, call.bytes, call.element_bytes);
  const AlignedGroups& groups = halving.groups();
  const int root_block = groups.block_of(call.root.value);
  const bool root_is_extra = groups.proxy(root_block) != call.root.value;
  Cost cost;
  if (groups.has_extras()) cost = {.messages = 1, .sent = call.bytes};  // an extra rank's
  int climb = 0;
  for (int block = 0; block < groups.blocks(); ++block) {
    Cost own{.reduced = call.bytes * (groups.block_size(block) - 1)};
    const auto send = [&](Bytes size) {
      own.messages += size > Bytes(0) ? 1 : 0;
      own.sent += size;
    };
    for (int round = 0; round < halving.rounds(); ++round) {
      send(halving.held(halving.partner(block, round), round + 1).size);
      own.reduced += halving.held(block, round + 1).size;
    }
    const auto differs = static_cast<unsigned>(block ^ root_block);
    if (differs != 0) send(halving.held(block, static_cast<int>(std::bit_width(differs))).size);
    else if (root_is_extra) send(call.bytes);
    if (halving.held(block, halving.rounds()).size > Bytes(0))
      climb = std::max(climb, std::popcount(differs));
    cost.messages = std::max(cost.messages, own.messages);
    cost.sent = std::max(cost.sent, own.sent);
    cost.reduced = std::max(cost.reduced, own.reduced);
  }
  cost.rounds = halving.rounds() + climb + (groups.has_extras() ? 1 : 0) + (root_is_extra ? 1 : 0);
  return cost;
}

}  // namespace

extern constinit const Algorithm reduce_scatter_gather{
    .collective = Collective::kReduce,
    .name = "reduce_scatter_gather",
    .summary = "pairs halve the vector and combine their halves, which then climb to the root",
    .formula = "2 log_2 n (L + 2o) + 2 m G + m g",
    .source = "Rabenseifner 2004, section 2",
    .build = build_reduce_scatter_gather,
    .cost = reduce_scatter_gather_cost,
};

}  // namespace weft::reduce
