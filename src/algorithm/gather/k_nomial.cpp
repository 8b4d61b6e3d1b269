// SPDX-License-Identifier: BSD-3-Clause
// Gather up a k-nomial tree whose subtrees are ranges of ranks from the root on: what a subtree has gathered
// is one message. For short blocks, of which latency counts most.
//
//   7 ranks, k = 2, root 0         1 -> 0: 1     3 -> 2: 3      5 -> 4: 5     6 -> 4: 6
//                                  2 -> 0: 2 3   4 -> 0: 4 5 6
//
// Thakur, Rabenseifner, Gropp 2005, section 4.4 (k = 2).
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/k_nomial_ranges.hpp"
#include "algorithm/pattern/rotation.hpp"
#include "algorithm/pattern/turned_blocks.hpp"

namespace weft::gather {

namespace {

void at_root(Builder& b, const KNomialRanges& tree, const Rotation& rotation) {
  const TurnedBlocks blocks(b, b.output());
  b.copy(b.contribution(), blocks.range(0, 1));
  for (const int child : tree.children(0)) {
    const int end = tree.end(child);
    if (blocks.is_one_range(child, end)) {
      b.recv(rotation.rank_at(child), blocks.range(child, end));
      continue;
    }
    const Range packed = b.scratch(b.bytes() * (end - child));
    b.recv(rotation.rank_at(child), packed);
    blocks.copy_from(packed, child, end);
  }
}

void build_k_nomial(Builder& b, const Parameters& parameters) {
  const Rotation rotation{b.call().root.value, b.rank_count()};
  const KNomialRanges tree(b.rank_count(), parameters.radix);
  const int position = rotation.position_of(b.self());
  if (position == 0) return at_root(b, tree, rotation);

  Range gathered = b.contribution();
  const int size = tree.end(position) - position;
  if (size > 1) {
    gathered = b.scratch(b.bytes() * size);
    b.copy(b.contribution(), gathered.part(Bytes(0), b.bytes()));
    for (const int child : tree.children(position))
      b.recv(rotation.rank_at(child),
             gathered.part(b.bytes() * (child - position), b.bytes() * (tree.end(child) - child)));
  }
  b.send(rotation.rank_at(tree.parent(position)), gathered);
}

Cost k_nomial_cost(const Call& call, const Parameters& parameters) {
  const KNomialRanges tree(call.rank_count, parameters.radix);
  int most = 0;
  for (const int child : tree.children(0)) most = std::max(most, tree.end(child) - child);
  return {.rounds = tree.depth(), .messages = 1, .sent = call.bytes * most};
}

}  // namespace

extern constinit const Algorithm k_nomial{
    .collective = Collective::kGather,
    .name = "k_nomial",
    .summary = "up a tree of ranges of ranks, what a subtree has as one message",
    .formula = "ceil(log_k n) (L + 2o) + (n-1) m G",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.4 (k = 2)",
    .has_radix = true,
    .scales = always,
    .build = build_k_nomial,
    .cost = k_nomial_cost,
};

}  // namespace weft::gather
