// SPDX-License-Identifier: BSD-3-Clause
// Allreduce of long messages over nodes: every leader combines its part within its node, its column adds the
// parts of all nodes up, and the node takes what its leaders have.
#include "algorithm/builders.hpp"
#include "algorithm/columns.hpp"

namespace weft::allreduce {

namespace {

void add_up(Builder& column, Aim aim) {
  if (aim == Aim::kRounds) return recursive_k_ing(column, {});
  column.call().commutative ? ring(column, {}) : reduce_scatter_allgather(column, {});
}

Cost adding_up_cost(const Call& column, Aim aim) {
  if (aim == Aim::kRounds) return recursive_k_ing_cost(column, {});
  return column.commutative ? ring_cost(column, {}) : reduce_scatter_allgather_cost(column, {});
}

}  // namespace

void multi_leader(Builder& b, const Parameters& parameters) { reduce_by_columns(b, parameters, add_up); }

Cost multi_leader_cost(const Call& call, const Parameters& parameters) {
  return columns_cost(call, parameters, adding_up_cost);
}

}  // namespace weft::allreduce
