// SPDX-License-Identifier: BSD-3-Clause
// Allreduce of long messages over nodes: every leader combines its part within its node, its column adds the
// parts of all nodes up, and the node takes what its leaders have.
#include "algorithm/allreduce/between.hpp"
#include "algorithm/columns.hpp"

namespace weft::allreduce {

extern constinit const Algorithm multi_leader{
    .collective = Collective::kAllreduce,
    .name = "multi_leader",
    .summary =
        "over nodes, long: leaders combine parts within nodes, columns of them across, everybody takes all",
    .formula = "l m/f + m c + (n_0-1)/n_0 m (c + g) + 2 (N-1) (L + 2o + m/(n_0 N) G) + m/n_0 g + m c",
    .source = "Bayatpour et al. 2017, data partitioning-based multi-leader reduction",
    .has_radix = true,
    .has_fragments = true,
    .follows_hierarchy = true,
    .build = reduce_by_columns<between>,
    .cost = cost_by_columns<between>,
};

}  // namespace weft::allreduce
