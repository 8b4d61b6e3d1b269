// SPDX-License-Identifier: BSD-3-Clause
// Alltoall within a node: everybody leaves all its blocks in its slot and then takes its own from the
// others'.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::alltoall {

void exchange(Builder& b, const Parameters&) {
  const Bytes all = b.bytes() * b.rank_count();
  const NodeSlots slots(b, all);
  b.copy(b.contribution(), slots.of(b.self()));
  slots.exchange(b);
  for (int rank = 0; rank < b.rank_count(); ++rank)
    b.copy(slots.of(rank).part(b.bytes() * b.self(), b.bytes()),
           b.output().part(b.bytes() * rank, b.bytes()));
}

Cost exchange_cost(const Call&, const Parameters&) { return {}; }

}  // namespace weft::alltoall
