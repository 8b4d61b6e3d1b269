// SPDX-License-Identifier: BSD-3-Clause
// Allreduce whose order is the same wherever the ranks are: all values go to everybody over the hierarchy,
// and everybody combines them. So the hierarchy decides how values travel, and the bracket, which depends on
// the number of ranks alone, in which order they are combined. For short messages, of which many fit into
// one; and between nodes that messages take long to reach, for all can be sent at once.
//
//   2 nodes of 2     gather  a b ◄─► c d     everybody: (a + b) + (c + d)
#include "algorithm/catalog.hpp"
#include "algorithm/pattern/bracket.hpp"
#include "algorithm/pattern/dissemination.hpp"

namespace weft::allreduce {

namespace {

Call gathering(const Call& call) {
  return call_of_group(call, Collective::kAllgather, call.rank_count, 0, call.bytes);
}

// Without a hierarchy in as few rounds as possible.
const Algorithm& way_of(const Parameters& parameters) {
  return parameters.hierarchy == nullptr ? allgather::bruck : allgather::hierarchical;
}
Parameters parameters_of_way(const Call& call, const Parameters& parameters) {
  if (parameters.hierarchy != nullptr) return parameters;
  return {.radix = radix_of_fewest_rounds(call.rank_count)};
}

// The values of all ranks, in rank order.
Range gather_values(Builder& b, const Parameters& parameters) {
  const Range all = b.scratch(b.bytes() * b.rank_count());
  build_in(b,
           {.members = b.everybody(),
            .call = gathering(b.call()),
            .contribution = b.contribution(),
            .output = all},
           way_of(parameters), parameters_of_way(b.call(), parameters));
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

// What goes through a node's memory lies there in whole lines.
bool if_flat(const Call&, const Parameters& parameters) { return parameters.hierarchy == nullptr; }

Cost gathered_cost(const Call& call, const Parameters& parameters) {
  return way_of(parameters).cost(gathering(call), parameters_of_way(call, parameters)) +
         Cost{.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm gathered{
    .collective = Collective::kAllreduce,
    .name = "gathered",
    .summary = "all values go to everybody, over the hierarchy if there is one, and everybody combines them",
    .formula = "allgather hierarchical, or bruck with k up to 4, + (n-1) m g",
    .source = "the pinned bracket (WEFT_REPRODUCIBLE) over nodes; allgather: Bruck et al. 1997",
    .follows_hierarchy = true,
    .gathers = true,
    .scales = if_flat,
    .build = build_gathered,
    .cost = gathered_cost,
};

}  // namespace weft::allreduce
