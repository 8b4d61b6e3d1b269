// SPDX-License-Identifier: BSD-3-Clause
// Reduce within a node without a stop in shared memory: every rank combines its part for the root.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/single_copy_reduction.hpp"

namespace weft::reduce {

void single_copy(Builder& b, const Parameters& parameters) {
  reduce_by_single_copy(b, parameters, [&](int rank) { return rank == b.call().root.value; });
}

Cost single_copy_cost(const Call& call, const Parameters&) {
  return {.reduced = bytes_reduced_by_single_copy(call)};
}

}  // namespace weft::reduce
