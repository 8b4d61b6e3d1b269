// SPDX-License-Identifier: BSD-3-Clause
// Allreduce within a node for long messages: every rank combines its part of each fragment for all.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_parts.hpp"

namespace weft::allreduce {

namespace {

void build_parts(Builder& b, const Parameters& parameters) { reduce_by_parts(b, parameters, true); }

Cost parts_cost(const Call& call, const Parameters& parameters) {
  return {.reduced = bytes_reduced_by_parts(call, parameters)};
}

}  // namespace

extern constinit const Algorithm parts{
    .collective = Collective::kAllreduce,
    .name = "parts",
    .summary = "within a node, long: every rank combines its part of each fragment for all",
    .formula = "l m/f + 2 m c + (n-1)/n m (c + g)",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = parts_scale,
    .build = build_parts,
    .cost = parts_cost,
};

}  // namespace weft::allreduce
