// SPDX-License-Identifier: BSD-3-Clause
// Reduce within a node: everybody leaves its value in its cell, and the root combines them in rank order. Its
// own it leaves only where the result would overwrite it.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::reduce {

namespace {

void build_fan_in(Builder& b, const Parameters& parameters) {
  reduce_in_node(b, NodeMemory(b, b.bytes()), bracket_of(b.call(), parameters));
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
    .scales = always,
    .build = build_fan_in,
    .cost = fan_in_cost,
};

}  // namespace weft::reduce
