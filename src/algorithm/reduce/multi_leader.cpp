// SPDX-License-Identifier: BSD-3-Clause
// Reduce of long messages over nodes: every leader combines its part within its node, its column adds the
// parts of all nodes up, and the root takes what the leaders of its node have.
#include "algorithm/catalog.hpp"
#include "algorithm/columns.hpp"

namespace weft::reduce {

namespace {

const Algorithm& across(const Call&, Aim aim) {
  return aim == Aim::kBytes ? reduce_scatter_gather : n_ary_tree;
}

}  // namespace

extern constinit const Algorithm multi_leader{
    .collective = Collective::kReduce,
    .name = "multi_leader",
    .summary =
        "over nodes, long: leaders combine parts within nodes, columns of them across, the root takes all",
    .formula = "l m/f + m c + (n_0-1)/n_0 m (c + g) + ceil(log_2 N) (L + 2o + 2 m/n_0 (G + g)) + m c",
    .source = "Bayatpour et al. 2017, data partitioning-based multi-leader reduction",
    .has_radix = true,
    .has_fragments = true,
    .follows_hierarchy = true,
    .build = reduce_by_columns<across>,
    .cost = cost_by_columns<across>,
};

}  // namespace weft::reduce
