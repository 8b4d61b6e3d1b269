// SPDX-License-Identifier: BSD-3-Clause
// Reduce up an n-ary tree whose subtrees are ranges of ranks. Cheetah (2013), section V.
//
//   7 ranks, n = 2         0 = v0 (+) (1's (+) 4's)
//        0
//       / \                If the operator commutes, the tree starts at the root. If not, it starts at rank
//       0,
//      1   4               whose result then travels to the root: the bracket is the same for every root.
//     /|   |\.
//    2 3   5 6
#include "algorithm/pattern/n_ary_tree.hpp"

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/fold.hpp"
#include "algorithm/pattern/rotation.hpp"
#include "algorithm/pattern/top.hpp"

namespace weft::reduce {

namespace {

void build_n_ary_tree(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value;
  const int top = top_of(b.call());
  const Rotation rotation{top, b.rank_count()};
  const auto node = NAryTree(b.rank_count(), parameters.radix).node(rotation.position_of(b.self()));

  Range result = b.contribution();
  if (!node.children.empty()) {
    std::vector<int> members{b.self()};
    for (const int child : node.children) members.push_back(rotation.rank_at(child));
    const Fold fold(std::move(members), 0);
    const bool in_output = b.self() == top && top == root && !b.in_place();
    const Range scratch = b.scratch(b.bytes() * (fold.landing_count() + (in_output ? 0 : 1)));
    const Range landings = scratch.part(Bytes(0), b.bytes() * fold.landing_count());
    result = in_output ? b.output() : scratch.part(landings.size, b.bytes());
    fold.receive(b, result, landings);
    fold.combine(b, b.contribution(), result, landings);
  }
  hand_up(b, node.parent < 0 ? -1 : rotation.rank_at(node.parent), result);
}

Cost n_ary_tree_cost(const Call& call, const Parameters& parameters) {
  const NAryTree tree(call.rank_count, parameters.radix);
  const int children = static_cast<int>(tree.node(0).children.size());
  return {.rounds = tree.depth() + (top_of(call) == call.root.value ? 0 : 1),
          .messages = 1,
          .sent = call.bytes,
          .reduced = call.bytes * children};
}

}  // namespace

extern constinit const Algorithm n_ary_tree{
    .collective = Collective::kReduce,
    .name = "n_ary_tree",
    .summary = "up a tree of ranges of ranks, k children each",
    .formula = "ceil(log_k n) (L + 2o + k m (G + g))",
    .source = "Cheetah 2013, section V",
    .has_radix = true,
    .scales = always,
    .build = build_n_ary_tree,
    .cost = n_ary_tree_cost,
};

}  // namespace weft::reduce
