// SPDX-License-Identifier: BSD-3-Clause
// Reduce up a k-nomial tree whose subtrees are ranges of ranks, children added in their order.
//
//   7 ranks, k = 2         0 = ((v0 (+) 1's) (+) 2's) (+) 4's
//        0
//      / | \               The nearest children's subtrees are the smallest: in their order nobody waits long
//     1  2  4              for one operand while others are there. Two places hold any number of operands.
//        |  |\             A leaf sends what it contributes.
//        3  5 6
//
// Thakur, Rabenseifner, Gropp 2005, section 4.4 (k = 2).
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/k_nomial_ranges.hpp"
#include "algorithm/pattern/partial.hpp"
#include "algorithm/pattern/rotation.hpp"
#include "algorithm/pattern/top.hpp"

namespace weft::reduce {

namespace {

void build_k_nomial(Builder& b, const Parameters& parameters) {
  const int top = top_of(b.call());
  const Rotation rotation{top, b.rank_count()};
  const KNomialRanges tree(b.rank_count(), parameters.radix);
  const int position = rotation.position_of(b.self());
  const bool ends_here = b.self() == top && top == b.call().root.value;
  Partial sum(b, b.contribution(), ends_here ? std::optional(b.output()) : std::nullopt);
  for (const int child : tree.children(position)) sum.add_right(rotation.rank_at(child));
  hand_up(b, position == 0 ? -1 : rotation.rank_at(tree.parent(position)), sum.value());
}

Cost k_nomial_cost(const Call& call, const Parameters& parameters) {
  const KNomialRanges tree(call.rank_count, parameters.radix);
  const int children = static_cast<int>(tree.children(0).size());
  return {.rounds = tree.depth() + (top_of(call) == call.root.value ? 0 : 1),
          .messages = 1,
          .sent = call.bytes,
          .reduced = call.bytes * children};
}

}  // namespace

extern constinit const Algorithm k_nomial{
    .collective = Collective::kReduce,
    .name = "k_nomial",
    .summary = "up a tree of ranges of ranks, smallest subtrees first",
    .formula = "ceil(log_k n) (L + 2o + (k-1) m (G + g))",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.4 (k = 2)",
    .has_radix = true,
    .scales = always,
    .build = build_k_nomial,
    .cost = k_nomial_cost,
};

}  // namespace weft::reduce
