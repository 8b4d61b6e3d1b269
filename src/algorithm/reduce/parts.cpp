// SPDX-License-Identifier: BSD-3-Clause
// Reduce within a node for long messages: every rank combines its part of each fragment, the root takes them.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_parts.hpp"

namespace weft::reduce {

namespace {

void build_parts(Builder& b, const Parameters& parameters) {
  reduce_by_parts(b, parameters, b.self() == b.call().root.value);
}

Cost parts_cost(const Call& call, const Parameters& parameters) {
  return {.reduced = bytes_reduced_by_parts(call, parameters)};
}

}  // namespace

extern constinit const Algorithm parts{
    .collective = Collective::kReduce,
    .name = "parts",
    .summary = "within a node, long: every rank combines its part of each fragment, the root takes all",
    .formula = "l m/f + m c + (n-1)/n m (c + g)",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .build = build_parts,
    .cost = parts_cost,
};

}  // namespace weft::reduce
