// SPDX-License-Identifier: BSD-3-Clause
// Allreduce within a node: everybody leaves its value in its slot and then combines all of them. It needs no
// atomic instruction, nobody applies an operator for others, and all evaluate the same bracket.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::allreduce {

void exchange(Builder& b, const Parameters& parameters) {
  const NodeSlots slots(b, b.bytes());
  b.copy(b.contribution(), slots.of(b.self()));
  slots.exchange(b);
  slots.combine(b, bracket_of(b.call(), parameters), slots.of(b.self()), b.output());
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace weft::allreduce
