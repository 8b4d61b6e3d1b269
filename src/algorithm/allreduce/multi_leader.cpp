// SPDX-License-Identifier: BSD-3-Clause
// Allreduce of long messages over nodes: every leader combines its part within its node, its column adds the
// parts of all nodes up, and the node takes what its leaders have.
#include "algorithm/builders.hpp"
#include "algorithm/columns.hpp"
#include "algorithm/tiers.hpp"

namespace weft::allreduce {

namespace {

constexpr Across kAcross{allreduce_between, allreduce_between_cost};

}  // namespace

void multi_leader(Builder& b, const Parameters& parameters) { reduce_by_columns(b, parameters, kAcross); }

Cost multi_leader_cost(const Call& call, const Parameters& parameters) {
  return columns_cost(call, parameters, kAcross);
}

}  // namespace weft::allreduce
