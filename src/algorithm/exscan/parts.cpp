// SPDX-License-Identifier: BSD-3-Clause
// Exscan within a node for long messages: every rank adds up its part of each fragment for all.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/prefix_parts.hpp"

namespace weft::exscan {

namespace {

void build_parts(Builder& b, const Parameters& parameters) { prefix_by_parts(b, parameters, 1); }

Cost parts_cost(const Call& call, const Parameters& parameters) {
  return {.reduced = bytes_reduced_by_prefix_parts(call, parameters, call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm parts{
    .collective = Collective::kExscan,
    .name = "parts",
    .summary = "within a node, long: every rank adds up its part of each fragment for all",
    .formula = "l m/f + 2 m c + (n-2)/n m g",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = in_one_fragment,
    .build = build_parts,
    .cost = parts_cost,
};

}  // namespace weft::exscan
