// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as a reduce to rank 0 and a bcast from there, along trees of one kind whose degrees differ: the
// way up combines, so that wide nodes cost, the way down does not. Half of the messages of an exchange
// between equals, twice its rounds.
//
//   n_ary_tree     up: subtrees that are ranges of ranks, n children       down: the same, n' children
//   k_nomial       up: subtrees that are ranges, nearest children first    down: who has it tells k' - 1 more
//
// Operands stay in rank order. Cheetah 2013, section V.
#include <algorithm>

#include "algorithm/catalog.hpp"
#include "algorithm/pattern/k_nomial_ranges.hpp"
#include "algorithm/pattern/k_nomial_tree.hpp"
#include "algorithm/pattern/n_ary_tree.hpp"

namespace weft::allreduce {

namespace {

Parameters downward(const Parameters& parameters) {
  return {.radix = parameters.bcast_radix == 0 ? parameters.radix : parameters.bcast_radix};
}

Call half(const Call& call, Collective collective) {
  return call_of_group(call, collective, call.rank_count, 0, call.bytes);
}

void up_and_down(Builder& b, const Parameters& parameters, const Algorithm& up, const Algorithm& down) {
  const auto write = [&](const Algorithm& way, Range contribution, const Parameters& own) {
    const Builder::Frame frame(b, {.members = b.everybody(),
                                   .call = half(b.call(), way.collective),
                                   .contribution = contribution,
                                   .output = b.output()});
    way.build(b, own);
  };
  write(up, b.contribution(), parameters);
  write(down, b.output(), downward(parameters));
}

// The busiest sends a message up and some down; rank 0 sends none up.
template <class ChildrenBelow>
Cost up_and_down_cost(const Call& call, Cost up, Cost down, ChildrenBelow children) {
  Cost cost{.rounds = up.rounds + down.rounds, .reduced = up.reduced};
  for (int rank = 0; rank < call.rank_count; ++rank)
    cost.messages = std::max(cost.messages, children(rank) + (rank == 0 ? 0 : 1));
  cost.sent = call.bytes * cost.messages;
  return cost;
}

void build_n_ary_tree(Builder& b, const Parameters& parameters) {
  up_and_down(b, parameters, reduce::n_ary_tree, bcast::n_ary_tree);
}

Cost n_ary_tree_cost(const Call& call, const Parameters& parameters) {
  const NAryTree tree(call.rank_count, downward(parameters).radix);
  return up_and_down_cost(call, reduce::n_ary_tree.cost(half(call, Collective::kReduce), parameters),
                          bcast::n_ary_tree.cost(half(call, Collective::kBcast), downward(parameters)),
                          [&](int rank) { return static_cast<int>(tree.node(rank).children.size()); });
}

void build_k_nomial(Builder& b, const Parameters& parameters) {
  up_and_down(b, parameters, reduce::k_nomial, bcast::k_nomial);
}

Cost k_nomial_cost(const Call& call, const Parameters& parameters) {
  const KNomialTree tree(call.rank_count, downward(parameters).radix);
  return up_and_down_cost(call, reduce::k_nomial.cost(half(call, Collective::kReduce), parameters),
                          bcast::k_nomial.cost(half(call, Collective::kBcast), downward(parameters)),
                          [&](int rank) { return static_cast<int>(tree.children(rank).size()); });
}

}  // namespace

extern constinit const Algorithm n_ary_tree{
    .collective = Collective::kAllreduce,
    .name = "n_ary_tree",
    .summary = "up a tree with k children each to rank 0, down one with k' children",
    .formula = "ceil(log_k n) (L + 2o + k m (G + g)) + ceil(log_k' n) (L + 2o + k' m G)",
    .source = "Cheetah 2013, section V",
    .has_radix = true,
    .has_bcast_radix = true,
    .build = build_n_ary_tree,
    .cost = n_ary_tree_cost,
};

extern constinit const Algorithm k_nomial{
    .collective = Collective::kAllreduce,
    .name = "k_nomial",
    .summary = "up a k-nomial tree to rank 0, down a k'-nomial one",
    .formula = "ceil(log_k n) (L + 2o + (k-1) m (G + g)) + ceil(log_k' n) (L + 2o + (k'-1) m G)",
    .source = "Cheetah 2013, section V",
    .has_radix = true,
    .has_bcast_radix = true,
    .build = build_k_nomial,
    .cost = k_nomial_cost,
};

}  // namespace weft::allreduce
