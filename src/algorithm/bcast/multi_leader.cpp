// SPDX-License-Identifier: BSD-3-Clause
// Bcast of long messages over nodes: the root leaves the message in the memory of its node, every leader
// there sends its part down its column, and on each node all take what its leaders have got.
#include "algorithm/builders.hpp"
#include "algorithm/columns.hpp"

namespace weft::bcast {

namespace {

void hand_on(Builder& column, const Parameters& parameters, Aim aim) {
  aim == Aim::kBytes ? scatter_allgather(column, parameters) : k_nomial(column, parameters);
}

Cost handing_on_cost(const Call& column, const Parameters& parameters, Aim aim) {
  return aim == Aim::kBytes ? scatter_allgather_cost(column, parameters) : k_nomial_cost(column, parameters);
}

constexpr Across kAcross{hand_on, handing_on_cost};

}  // namespace

void multi_leader(Builder& b, const Parameters& parameters) {
  const Columns columns(b.call(), Rank(b.self()), parameters);
  const bool is_root = Rank(b.self()) == b.call().root;
  const Builder::Frame frame(b, columns.node_group(b.output(), b.output()));
  NodeParts node(b, parameters, columns.leaders(), NodeParts::Values::kNone);
  const Batches batches = columns.batches();
  const Range own = node.leads() ? node.own_part(b.output()) : Range{};
  for (int s = 0; s < batches.slices(); ++s) {
    const Range batch = node.slices(own, batches.first(batches.of(s)), batches.end(batches.of(s)));
    if (!columns.has_root() && batches.begins_at(s)) columns.travel(b, batch, kAcross);
    for (int p = 0; p < columns.leaders().count; ++p)
      if (is_root || (!columns.has_root() && p == node.own()))
        node.publish(s, p, node.slice(node.part(b.output(), p), s));
    node.exchange();
    if (!is_root) node.take(s, columns.has_root() ? node.result(s) : node.slice(own, s));
    if (columns.has_root() && batches.ends_at(s)) columns.travel(b, batch, kAcross);
  }
}

Cost multi_leader_cost(const Call& call, const Parameters& parameters) {
  return columns_cost(call, parameters, kAcross);
}

}  // namespace weft::bcast
