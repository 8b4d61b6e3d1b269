// SPDX-License-Identifier: BSD-3-Clause
// Bcast down an n-ary tree, every rank to n others at most: for the busiest, fewer messages than the k-nomial
// tree has, and more rounds.
//
//        0               7 ranks, n = 2, root 0
//       / \              0 sends to 1 and 4, then each of them to its two
//      1   4
//     /|   |\.
//    2 3   5 6
#include "algorithm/pattern/n_ary_tree.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/rotation.hpp"

namespace weft::bcast {

namespace {

void build_n_ary_tree(Builder& b, const Parameters& parameters) {
  const Rotation rotation{b.call().root.value, b.rank_count()};
  const int position = rotation.position_of(b.self());
  const auto node = NAryTree(b.rank_count(), parameters.radix).node(position);
  if (position != 0) b.recv(rotation.rank_at(node.parent), b.output());
  for (const int child : node.children) b.send(rotation.rank_at(child), b.output());
}

Cost n_ary_tree_cost(const Call& call, const Parameters& parameters) {
  const NAryTree tree(call.rank_count, parameters.radix);
  const int messages = static_cast<int>(tree.node(0).children.size());
  return {.rounds = tree.depth(), .messages = messages, .sent = call.bytes * messages};
}

}  // namespace

extern constinit const Algorithm n_ary_tree{
    .collective = Collective::kBcast,
    .name = "n_ary_tree",
    .summary = "down a tree of ranges of ranks, k children each",
    .formula = "ceil(log_k n) (L + 2o + k m G)",
    .source = "Cheetah 2013, section V",
    .has_radix = true,
    .scales = always,
    .build = build_n_ary_tree,
    .cost = n_ary_tree_cost,
};

}  // namespace weft::bcast
