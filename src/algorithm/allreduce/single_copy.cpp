// SPDX-License-Identifier: BSD-3-Clause
// Allreduce within a node without a stop in shared memory: every rank combines its part for all.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/single_copy_reduction.hpp"

namespace weft::allreduce {

namespace {

void build_single_copy(Builder& b, const Parameters& parameters) {
  reduce_by_single_copy(b, parameters, [](int) { return true; });
}

// With more ranks values are combined that both lie in scratch, where nothing says which elements they are.
bool is_of_two(const Call& call, const Parameters&) { return call.rank_count == 2; }

Cost single_copy_cost(const Call& call, const Parameters&) {
  return {.reduced = bytes_reduced_by_single_copy(call)};
}

}  // namespace

extern constinit const Algorithm single_copy{
    .collective = Collective::kAllreduce,
    .name = "single_copy",
    .summary = "within a node, long: every rank combines its part out of all buffers into all",
    .formula = "2 l + (n-1)/n m (2 c + g)",
    .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
    .within_node = true,
    .has_fragments = true,
    .single_copy = true,
    .eligible = can_expose_all,
    .scales = is_of_two,
    .build = build_single_copy,
    .cost = single_copy_cost,
};

}  // namespace weft::allreduce
