// SPDX-License-Identifier: BSD-3-Clause
// Allgather within a node: everybody leaves its block in its slot and then takes those of the others.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::allgather {

void exchange(Builder& b, const Parameters&) {
  const NodeSlots slots(b, b.bytes());
  const auto block = [&](int rank) { return b.output().part(b.bytes() * rank, b.bytes()); };
  b.copy(b.contribution(), slots.of(b.self()));
  slots.exchange(b);
  b.copy(b.contribution(), block(b.self()));
  for (int rank = 0; rank < b.rank_count(); ++rank)
    if (rank != b.self()) b.copy(slots.of(rank), block(rank));
}

Cost exchange_cost(const Call&, const Parameters&) { return {}; }

}  // namespace weft::allgather
