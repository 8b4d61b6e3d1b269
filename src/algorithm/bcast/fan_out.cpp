// SPDX-License-Identifier: BSD-3-Clause
// Bcast within a node: the root leaves the message in its slot, and everybody takes it from there.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/node_slots.hpp"

namespace weft::bcast {

void fan_out(Builder& b, const Parameters&) {
  const int root = b.call().root.value;
  const NodeSlots slots(b, b.bytes());
  if (b.self() == root) b.copy(b.contribution(), slots.of(root));
  slots.fan_out(b, root);
  if (b.self() != root) b.copy(slots.of(root), b.output());
}

Cost fan_out_cost(const Call&, const Parameters&) { return {}; }

}  // namespace weft::bcast
