// SPDX-License-Identifier: BSD-3-Clause
// Allreduce whose order is the same wherever the ranks are: all values go to everybody over the hierarchy,
// and everybody combines them. So the hierarchy decides how values travel, and the bracket, which depends on
// the number of ranks alone, in which order they are combined. For short messages, of which many fit into
// one.
//
//   2 nodes of 2     gather  a b ◄─► c d     everybody: (a + b) + (c + d)
#include "algorithm/catalog.hpp"
#include "algorithm/pattern/bracket.hpp"

namespace weft::allreduce {

namespace {

Call gathering(const Call& call) {
  return call_of_group(call, Collective::kAllgather, call.rank_count, 0, call.bytes);
}

// The values of all ranks, in rank order.
Range gather_values(Builder& b, const Parameters& parameters) {
  const Range all = b.scratch(b.bytes() * b.rank_count());
  build_in(
      b,
      {.members = b.members(), .call = gathering(b.call()), .contribution = b.contribution(), .output = all},
      allgather::hierarchical, parameters);
  return all;
}

void build_gathered(Builder& b, const Parameters& parameters) {
  const Range all = gather_values(b, parameters);
  const Bracket bracket = bracket_of(b.call(), parameters);
  const auto value = [&](int rank) { return all.part(b.bytes() * rank, b.bytes()); };
  bracket.evaluate(
      b, b.output(), bracket.room(b, b.bytes()), [&](int rank, Range into) { b.copy(value(rank), into); },
      value);
}

Cost gathered_cost(const Call& call, const Parameters& parameters) {
  return allgather::hierarchical.cost(gathering(call), parameters) +
         Cost{.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm gathered{
    .collective = Collective::kAllreduce,
    .name = "gathered",
    .summary = "all values go to everybody over the hierarchy, and everybody combines them",
    .formula = "allgather hierarchical + (n-1) m g",
    .source = "the pinned bracket (WEFT_REPRODUCIBLE) over nodes that share memory",
    .follows_hierarchy = true,
    .gathers = true,
    .build = build_gathered,
    .cost = gathered_cost,
};

}  // namespace weft::allreduce
