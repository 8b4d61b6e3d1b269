// SPDX-License-Identifier: BSD-3-Clause
// Exscan within a node: everybody leaves its value in its slot and combines those of the ranks before it.
#include <algorithm>

#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::exscan {

void exchange(Builder& b, const Parameters&) {
  const NodeSlots slots(b, b.bytes());
  if (b.self() + 1 < b.rank_count()) b.copy(b.contribution(), slots.of(b.self()));
  slots.exchange(b);
  if (b.self() > 0) slots.combine(b, Bracket::fold(b.self()), slots.of(b.self()), b.output());
}

Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * std::max(0, call.rank_count - 2)};
}

}  // namespace weft::exscan
