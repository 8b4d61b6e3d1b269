// SPDX-License-Identifier: BSD-3-Clause
// Scan within a node: everybody leaves its value in its slot and combines its own with those of the ranks
// before it.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::scan {

void exchange(Builder& b, const Parameters&) {
  const NodeSlots slots(b, b.bytes());
  b.copy(b.contribution(), slots.of(b.self()));
  slots.exchange(b);
  slots.combine(b, Bracket::fold(b.self() + 1), slots.of(b.self()), b.output());
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace weft::scan
