// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter within a node: everybody leaves its vector in its slot and combines its own block of all of
// them.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::reduce_scatter_block {

void exchange(Builder& b, const Parameters&) {
  const NodeSlots slots(b, b.contribution().size);
  const Range own = b.blocks(b.contribution(), b.self(), b.self() + 1);
  const Bytes at = own.offset - b.contribution().offset;
  b.copy(b.contribution(), slots.of(b.self()));
  slots.exchange(b);
  const auto value = [&](int rank) { return slots.of(rank).part(at, own.size); };
  if (own.size > Bytes(0))
    Bracket::fold(b.rank_count())
        .evaluate(
            b, b.output().part(Bytes(0), own.size), {},
            [&](int rank, Range into) { b.copy(value(rank), into); }, value);
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace weft::reduce_scatter_block
