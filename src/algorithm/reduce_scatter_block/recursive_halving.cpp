// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter by recursive halving, for any number of ranks: whoever is in one half of the ranks gives
// away what is for the other half, added up so far, and gets what the other half has for the own one; then
// the same within the half. The fewest rounds, and about as few bytes as possible.
//
//   4 ranks     round 0: 0 <-> 2, 1 <-> 3: two blocks each way      round 1: 0 <-> 1, 2 <-> 3: one block
//
// Those who are far apart meet first: for operators that commute. Thakur, Rabenseifner, Gropp 2005,
// section 4.5; halves of any size instead of extra ranks.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/halved_ranks.hpp"
#include "algorithm/pattern/partial.hpp"

namespace weft::reduce_scatter_block {

namespace {

void build_recursive_halving(Builder& b, const Parameters&) {
  const auto at = [&](int first, int end) { return b.blocks({kOutput, Bytes(0), Bytes(0)}, first, end); };
  Partial sum(b, b.contribution(), std::nullopt);
  for (const HalvingStep& step : halving_steps(b.rank_count(), b.self())) {
    const Range given = at(step.other_first, step.other_end);
    const Range kept = at(step.first, step.end);
    b.send(step.give_to, sum.value().part(given.offset, given.size));
    for (const int from : step.get_from)
      if (kept.size > Bytes(0)) sum.add_right(from, kept.offset, kept.size);
  }
  const Range own = at(b.self(), b.self() + 1);
  b.copy(sum.value().part(own.offset, own.size), b.output().part(Bytes(0), own.size));
}

Cost recursive_halving_cost(const Call& call, const Parameters&) {
  Cost cost;
  for (int rank = 0; rank < call.rank_count; ++rank) {
    const auto steps = halving_steps(call.rank_count, rank);
    Cost own{.messages = static_cast<int>(steps.size())};
    for (const HalvingStep& step : steps) {
      own.sent += call.bytes * (step.other_end - step.other_first);
      own.reduced += call.bytes * (step.end - step.first) * static_cast<int>(step.get_from.size());
    }
    cost.messages = std::max(cost.messages, own.messages);
    cost.sent = std::max(cost.sent, own.sent);
    cost.reduced = std::max(cost.reduced, own.reduced);
  }
  cost.rounds = cost.messages;
  return cost;
}

}  // namespace

extern constinit const Algorithm recursive_halving{
    .collective = Collective::kReduceScatterBlock,
    .name = "recursive_halving",
    .summary = "half of the ranks give the other half what is for it, added up; then within halves",
    .formula = "ceil(log_2 n) (L + 2o) + (n-1) m (G + g)",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .eligible = if_commutative,
    .scales = always,
    .build = build_recursive_halving,
    .cost = recursive_halving_cost,
};

}  // namespace weft::reduce_scatter_block
