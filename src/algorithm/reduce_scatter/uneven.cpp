// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter as a reduce_scatter_block of blocks of different sizes.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/uneven_blocks.hpp"

namespace weft::reduce_scatter {

namespace {

using Build = void (*)(Builder&, const Parameters&);

void scatter(Builder& b, const Parameters& parameters, Build reduce_scatter_block) {
  const Builder::Frame frame(
      b, as_uneven(b, Collective::kReduceScatterBlock, b.parcels().outgoing, b.contribution(), b.output()));
  reduce_scatter_block(b, parameters);
}

}  // namespace

void ring(Builder& b, const Parameters& parameters) { scatter(b, parameters, reduce_scatter_block::ring); }
void pairwise(Builder& b, const Parameters& parameters) {
  scatter(b, parameters, reduce_scatter_block::pairwise);
}
void recursive_halving(Builder& b, const Parameters& parameters) {
  scatter(b, parameters, reduce_scatter_block::recursive_halving);
}

void exchange(Builder& b, const Parameters& parameters) {
  scatter(b, parameters, reduce_scatter_block::exchange);
}

// Whatever the sizes: around the ring and pair by pair every block is sent and combined once at most; halving
// gives and gets half after half of what is left, and at most two of them at a time.
Cost ring_cost(const Call& call, const Parameters& parameters) {
  Cost cost = reduce_scatter_block::ring_cost(call, parameters);
  cost.sent = cost.reduced = call.bytes;
  return cost;
}
Cost pairwise_cost(const Call& call, const Parameters& parameters) {
  Cost cost = reduce_scatter_block::pairwise_cost(call, parameters);
  cost.sent = call.bytes;
  cost.reduced = call.bytes * (call.rank_count - 1);
  return cost;
}
Cost recursive_halving_cost(const Call& call, const Parameters& parameters) {
  Cost cost = reduce_scatter_block::recursive_halving_cost(call, parameters);
  cost.sent = call.bytes;
  cost.reduced = call.bytes * 2 * cost.messages;
  return cost;
}
Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace weft::reduce_scatter
