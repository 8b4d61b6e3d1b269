// SPDX-License-Identifier: BSD-3-Clause
// Reduce within a node for long messages: every rank combines its part of each fragment, the root takes them.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_parts.hpp"

namespace weft::reduce {

void parts(Builder& b, const Parameters& parameters) {
  reduce_by_parts(b, parameters, b.self() == b.call().root.value);
}

Cost parts_cost(const Call& call, const Parameters& parameters) {
  return {.reduced = bytes_reduced_by_parts(call, parameters)};
}

}  // namespace weft::reduce
