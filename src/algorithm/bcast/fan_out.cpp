// SPDX-License-Identifier: BSD-3-Clause
// Bcast within a node: the root leaves the message in its cell, and everybody takes it from there.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::bcast {

namespace {

void build_fan_out(Builder& b, const Parameters&) {
  const NodeMemory node(b, b.bytes());
  bcast_in_node(b, node, node.of(b.call().root.value));
}

Cost fan_out_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm fan_out{
    .collective = Collective::kBcast,
    .name = "fan_out",
    .summary = "within a node: everybody takes the message from where the root left it",
    .formula = "l + m (2 c)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_fan_out,
    .cost = fan_out_cost,
};

}  // namespace weft::bcast
