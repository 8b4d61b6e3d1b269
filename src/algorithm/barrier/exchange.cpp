// SPDX-License-Identifier: BSD-3-Clause
// Barrier within a node: everybody says so in its line, and leaves when all lines say so.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::barrier {

void exchange(Builder& b, const Parameters&) { NodeSlots(b, Bytes(0)).exchange(b); }

Cost exchange_cost(const Call&, const Parameters&) { return {}; }

}  // namespace weft::barrier
