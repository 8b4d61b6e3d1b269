// SPDX-License-Identifier: BSD-3-Clause
// Reduce of long messages over nodes: every leader combines its part within its node, its column adds the
// parts of all nodes up, and the root takes what the leaders of its node have.
#include "algorithm/builders.hpp"
#include "algorithm/columns.hpp"

namespace weft::reduce {

namespace {

void add_up(Builder& column, const Parameters& parameters, Aim aim) {
  aim == Aim::kBytes ? reduce_scatter_gather(column, parameters) : n_ary_tree(column, parameters);
}

Cost adding_up_cost(const Call& column, const Parameters& parameters, Aim aim) {
  return aim == Aim::kBytes ? reduce_scatter_gather_cost(column, parameters)
                            : n_ary_tree_cost(column, parameters);
}

constexpr Across kAcross{add_up, adding_up_cost};

}  // namespace

void multi_leader(Builder& b, const Parameters& parameters) { reduce_by_columns(b, parameters, kAcross); }

Cost multi_leader_cost(const Call& call, const Parameters& parameters) {
  return columns_cost(call, parameters, kAcross);
}

}  // namespace weft::reduce
