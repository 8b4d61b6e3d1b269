// SPDX-License-Identifier: BSD-3-Clause
// Reduce within a node: everybody leaves its value in its slot, and the root combines them in rank order. Its
// own it leaves only where the result would overwrite it.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::reduce {

namespace {

void build_fan_in(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value;
  const NodeSlots slots(b, b.bytes());
  const bool stays = b.self() == root && (!b.in_place() || root + 1 == b.rank_count());
  const Range own = stays ? b.contribution() : slots.of(b.self());
  b.copy(b.contribution(), own);
  slots.fan_in(b, root);
  if (b.self() == root) slots.combine(b, bracket_of(b.call(), parameters), own, b.output());
}

Cost fan_in_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm fan_in{
    .collective = Collective::kReduce,
    .name = "fan_in",
    .summary = "within a node: the root combines what everybody left for it",
    .formula = "l + m c + (n-1) m (c + g)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .build = build_fan_in,
    .cost = fan_in_cost,
};

}  // namespace weft::reduce
