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

#include "algorithm/builders.hpp"
#include "algorithm/pattern/k_nomial_ranges.hpp"
#include "algorithm/pattern/k_nomial_tree.hpp"
#include "algorithm/pattern/n_ary_tree.hpp"

namespace weft::allreduce {

namespace {

using Build = void (*)(Builder&, const Parameters&);

Parameters downward(const Parameters& parameters) {
  return {.radix = parameters.bcast_radix == 0 ? parameters.radix : parameters.bcast_radix};
}

Call half(const Call& call, Collective collective) {
  return call_of_group(call, collective, call.rank_count, 0, call.bytes);
}

void up_and_down(Builder& b, const Parameters& parameters, Build reduce, Build bcast) {
  const auto write = [&](Collective collective, Range contribution, const Parameters& own, Build build) {
    const Builder::Frame frame(b, {.members = b.members(),
                                   .call = half(b.call(), collective),
                                   .contribution = contribution,
                                   .output = b.output()});
    build(b, own);
  };
  write(Collective::kReduce, b.contribution(), parameters, reduce);
  write(Collective::kBcast, b.output(), downward(parameters), bcast);
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

}  // namespace

void n_ary_tree(Builder& b, const Parameters& parameters) {
  up_and_down(b, parameters, reduce::n_ary_tree, bcast::n_ary_tree);
}

Cost n_ary_tree_cost(const Call& call, const Parameters& parameters) {
  const NAryTree tree(call.rank_count, downward(parameters).radix);
  return up_and_down_cost(call, reduce::n_ary_tree_cost(half(call, Collective::kReduce), parameters),
                          bcast::n_ary_tree_cost(half(call, Collective::kBcast), downward(parameters)),
                          [&](int rank) { return static_cast<int>(tree.node(rank).children.size()); });
}

void k_nomial(Builder& b, const Parameters& parameters) {
  up_and_down(b, parameters, reduce::k_nomial, bcast::k_nomial);
}

Cost k_nomial_cost(const Call& call, const Parameters& parameters) {
  const KNomialTree tree(call.rank_count, downward(parameters).radix);
  return up_and_down_cost(call, reduce::k_nomial_cost(half(call, Collective::kReduce), parameters),
                          bcast::k_nomial_cost(half(call, Collective::kBcast), downward(parameters)),
                          [&](int rank) { return static_cast<int>(tree.children(rank).size()); });
}

}  // namespace weft::allreduce
