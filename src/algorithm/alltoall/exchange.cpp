// SPDX-License-Identifier: BSD-3-Clause
// Alltoall within a node: everybody leaves its blocks for others in its cell and then takes its own from
// theirs.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::alltoall {

namespace {

void build_exchange(Builder& b, const Parameters&) {
  const Bytes all = b.bytes() * b.rank_count();
  const NodeMemory node(b, all);
  const auto block = [&](Range whole, int rank) { return b.blocks(whole, rank, rank + 1); };
  // One by one, so that where each lies does not depend on how long a shorter one is.
  for (int rank = 0; rank < b.rank_count(); ++rank)
    if (rank != b.self()) b.copy(block(b.contribution(), rank), block(node.of(b.self()), rank));
  node.exchange();
  for (int rank = 0; rank < b.rank_count(); ++rank)
    b.copy(rank == b.self() ? block(b.contribution(), rank) : block(node.of(rank), b.self()),
           block(b.output(), rank));
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
    .scales = always,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::alltoall
