// SPDX-License-Identifier: BSD-3-Clause
// Allreduce within a node for long messages: every rank combines its part of each fragment for all.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_parts.hpp"

namespace weft::allreduce {

void parts(Builder& b, const Parameters& parameters) { reduce_by_parts(b, parameters, true); }

Cost parts_cost(const Call& call, const Parameters& parameters) {
  return {.reduced = bytes_reduced_by_parts(call, parameters)};
}

}  // namespace weft::allreduce
