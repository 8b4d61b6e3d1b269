// SPDX-License-Identifier: BSD-3-Clause
// Allreduce of long messages over nodes: every leader combines its part within its node, its column adds the
// parts of all nodes up, and the node takes what its leaders have.
#include "algorithm/builders.hpp"
#include "algorithm/columns.hpp"
#include "algorithm/tiers.hpp"

namespace weft::allreduce {

void multi_leader(Builder& b, const Parameters& parameters) {
  reduce_by_columns(b, parameters, [](Builder& column, Aim aim) { allreduce_between(column, {}, aim); });
}

Cost multi_leader_cost(const Call& call, const Parameters& parameters) {
  return columns_cost(call, parameters,
                      [](const Call& column, Aim aim) { return allreduce_between_cost(column, {}, aim); });
}

}  // namespace weft::allreduce
