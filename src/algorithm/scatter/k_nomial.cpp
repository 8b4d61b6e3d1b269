// SPDX-License-Identifier: BSD-3-Clause
// Scatter down a k-nomial tree whose subtrees are ranges of ranks from the root on: what is for a subtree is
// one message. For short blocks, of which latency counts most.
//
//   7 ranks, k = 2, root 0         0 -> 4: 4 5 6   0 -> 2: 2 3   0 -> 1: 1
//                                  4 -> 6: 6   4 -> 5: 5         2 -> 3: 3
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/k_nomial_ranges.hpp"
#include "algorithm/pattern/rotation.hpp"
#include "algorithm/pattern/turned_blocks.hpp"

namespace weft::scatter {

namespace {

// The farthest children first: theirs is the longest way.
void at_root(Builder& b, const KNomialRanges& tree, const Rotation& rotation) {
  const TurnedBlocks blocks(b, b.contribution());
  const std::vector<int> children = tree.children(0);
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    const int end = tree.end(*child);
    if (blocks.is_one_range(*child, end)) {
      b.send(rotation.rank_at(*child), blocks.range(*child, end));
      continue;
    }
    const Range packed = b.scratch(b.bytes() * (end - *child));
    blocks.copy_to(packed, *child, end);
    b.send(rotation.rank_at(*child), packed);
  }
  if (!b.in_place()) b.copy(blocks.range(0, 1), b.output());
}

void build_k_nomial(Builder& b, const Parameters& parameters) {
  const Rotation rotation{b.call().root.value, b.rank_count()};
  const KNomialRanges tree(b.rank_count(), parameters.radix);
  const int position = rotation.position_of(b.self());
  if (position == 0) return at_root(b, tree, rotation);

  const int parent = rotation.rank_at(tree.parent(position));
  const int size = tree.end(position) - position;
  if (size == 1) {
    b.recv(parent, b.output());
    return;
  }
  const Range all = b.scratch(b.bytes() * size);
  b.recv(parent, all);
  const std::vector<int> children = tree.children(position);
  for (auto child = children.rbegin(); child != children.rend(); ++child)
    b.send(rotation.rank_at(*child),
           all.part(b.bytes() * (*child - position), b.bytes() * (tree.end(*child) - *child)));
  b.copy(all.part(Bytes(0), b.bytes()), b.output());
}

Cost k_nomial_cost(const Call& call, const Parameters& parameters) {
  const KNomialRanges tree(call.rank_count, parameters.radix);
  return {.rounds = tree.depth(),
          .messages = static_cast<int>(tree.children(0).size()),
          .sent = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm k_nomial{
    .collective = Collective::kScatter,
    .name = "k_nomial",
    .summary = "down a tree of ranges of ranks, what is for a subtree as one message",
    .formula = "ceil(log_k n) (L + 2o) + (n-1) m G",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.2 (k = 2)",
    .has_radix = true,
    .scales = always,
    .build = build_k_nomial,
    .cost = k_nomial_cost,
};

}  // namespace weft::scatter
