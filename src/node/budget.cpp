// SPDX-License-Identifier: BSD-3-Clause
#include "node/budget.hpp"

namespace weft::node {

Bytes arena_bytes(const NodeSettings& settings, int ranks_on_node) {
  constexpr Bytes kWhole{64 << 10};  // pages, wherever
  return settings.enabled ? settings.memory / ranks_on_node / kWhole * kWhole : Bytes(0);
}

std::array<AreaShape, 2> wanted_shapes(const NodeSettings& settings, int members) {
  return {{{members, settings.slots, settings.rank_bytes}, {members, settings.slots, Bytes(0)}}};
}

// Few communicators exchange long blocks, and what these take is large: a quarter is kept for the lines of
// many.
bool may_take(const AreaShape& shape, Bytes taken, Bytes half) {
  const Bytes after = taken + shape.size() * kAreas;
  return after <= (shape.rank_bytes > Bytes(0) ? half * 3 / 4 : half);
}

std::optional<Bytes> first_rank_bytes(const NodeSettings& settings, int ranks_on_node) {
  const Bytes half = half_of(arena_bytes(settings, ranks_on_node));
  for (const AreaShape& shape : wanted_shapes(settings, ranks_on_node))
    if (may_take(shape, Bytes(0), half)) return shape.rank_bytes;
  return std::nullopt;
}

}  // namespace weft::node
