// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter within a node: everybody leaves its vector in its cell and combines its own block of all of
// them.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_memory.hpp"

namespace weft::reduce_scatter_block {

namespace {

void build_exchange(Builder& b, const Parameters&) {
  const NodeMemory node(b, b.contribution().size);
  const Range own = b.blocks(b.contribution(), b.self(), b.self() + 1);
  const Bytes at = own.offset - b.contribution().offset;
  // Its own value it leaves only where the result might overwrite it: a line that others are reading may come
  // late, even to whoever has written it.
  const bool stays = !b.in_place();
  // One by one, so that where each lies does not depend on how long a shorter one is.
  for (int rank = 0; rank < b.rank_count(); ++rank)
    if (rank != b.self() || !stays)
      b.copy(b.blocks(b.contribution(), rank, rank + 1), b.blocks(node.of(b.self()), rank, rank + 1));
  node.exchange();
  const auto value = [&](int rank) {
    return stays && rank == b.self() ? own : node.of(rank).part(at, own.size);
  };
  Bracket::fold(b.rank_count())
      .evaluate(
          b, b.output().part(Bytes(0), own.size), {},
          [&](int rank, Range into) { b.copy(value(rank), into); }, value);
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm exchange{
    .collective = Collective::kReduceScatterBlock,
    .name = "exchange",
    .summary = "within a node: everybody combines its block of the vectors that all have left",
    .formula = "l + n m c + (n-1) m (c + g)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_exchange,
    .cost = exchange_cost,
};

}  // namespace weft::reduce_scatter_block
