// SPDX-License-Identifier: BSD-3-Clause
// Allgather within a node: everybody leaves its block in its cell and then takes those of the others.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::allgather {

namespace {

void build_exchange(Builder& b, const Parameters&) {
  const NodeMemory node(b, b.bytes());
  const auto block = [&](int rank) { return b.output().part(b.bytes() * rank, b.bytes()); };
  b.copy(b.contribution(), node.of(b.self()));
  node.exchange();
  b.copy(b.contribution(), block(b.self()));
  for (int rank = 0; rank < b.rank_count(); ++rank)
    if (rank != b.self()) b.copy(node.of(rank), block(rank));
}

Cost exchange_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm exchange{
    .collective = Collective::kAllgather,
    .name = "exchange",
    .summary = "within a node: everybody takes what everybody left",
    .formula = "l + n m c",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::allgather
