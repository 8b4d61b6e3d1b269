// SPDX-License-Identifier: BSD-3-Clause
// Allreduce within a node without a stop in shared memory: every rank combines its part for all.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/single_copy_reduction.hpp"

namespace weft::allreduce {

void single_copy(Builder& b, const Parameters& parameters) {
  reduce_by_single_copy(b, parameters, [](int) { return true; });
}

Cost single_copy_cost(const Call& call, const Parameters&) {
  return {.reduced = bytes_reduced_by_single_copy(call)};
}

}  // namespace weft::allreduce
