// SPDX-License-Identifier: BSD-3-Clause
// Barrier within a node: everybody says so in its line, and leaves when all lines say so.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::barrier {

namespace {

void build_exchange(Builder& b, const Parameters&) { NodeMemory(b, Bytes(0)).exchange(); }

Cost exchange_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm exchange{
    .collective = Collective::kBarrier,
    .name = "exchange",
    .summary = "within a node: say so in a line of one's own, leave when all lines say so",
    .formula = "l + (n-1) c",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::barrier
