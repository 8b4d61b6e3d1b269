// SPDX-License-Identifier: BSD-3-Clause
// Alltoall within a node: everybody leaves all its blocks in its cell and then takes its own from the
// others'.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::alltoall {

namespace {

void build_exchange(Builder& b, const Parameters&) {
  const Bytes all = b.bytes() * b.rank_count();
  const NodeMemory node(b, all);
  b.copy(b.contribution(), node.of(b.self()));
  node.exchange();
  for (int rank = 0; rank < b.rank_count(); ++rank)
    b.copy(node.of(rank).part(b.bytes() * b.self(), b.bytes()), b.output().part(b.bytes() * rank, b.bytes()));
}

Cost exchange_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm exchange{
    .collective = Collective::kAlltoall,
    .name = "exchange",
    .summary = "within a node: everybody takes its blocks from what everybody left",
    .formula = "l + 2 n m c",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::alltoall
