// SPDX-License-Identifier: BSD-3-Clause
// Allreduce within a node: everybody leaves its value in its cell and then combines all of them. It needs no
// atomic instruction, nobody applies an operator for others, and all evaluate the same bracket.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::allreduce {

namespace {

void build_exchange(Builder& b, const Parameters& parameters) {
  const NodeMemory node(b, b.bytes());
  b.copy(b.contribution(), node.of(b.self()));
  node.exchange();
  // Its own value it reads where the result will not overwrite it before: a line that others are reading may
  // come late, even to whoever has written it.
  const bool stays = !b.in_place() || b.self() + 1 == b.rank_count();
  combine(b, node, bracket_of(b.call(), parameters), stays ? b.contribution() : node.of(b.self()),
          b.output());
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm exchange{
    .collective = Collective::kAllreduce,
    .name = "exchange",
    .summary = "within a node: everybody combines what everybody left",
    .formula = "l + m c + (n-1) m (c + g)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::allreduce
