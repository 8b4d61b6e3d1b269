// SPDX-License-Identifier: BSD-3-Clause
// Bcast of long messages over nodes: the root leaves the message in the memory of its node, every leader
// there sends its part down its column, and on each node all take what its leaders have got.
#include "algorithm/cards.hpp"
#include "algorithm/columns.hpp"

namespace weft::bcast {

namespace {

const Algorithm& across(const Call&, Aim aim) { return aim == Aim::kBytes ? scatter_allgather : k_nomial; }

void build_multi_leader(Builder& b, const Parameters& parameters) {
  const Columns columns(b.call(), Rank(b.self()), parameters);
  const bool is_root = Rank(b.self()) == b.call().root;
  const Builder::Frame frame(b, columns.node_group(b.output(), b.output()));
  NodeParts node(b, parameters, columns.leaders(), NodeParts::Values::kNone);
  const Batches batches = columns.batches();
  const Range own = node.leads() ? node.own_part(b.output()) : Range{};
  for (int s = 0; s < batches.slices(); ++s) {
    const Range batch = node.slices(own, batches.first(batches.of(s)), batches.end(batches.of(s)));
    if (!columns.has_root() && batches.begins_at(s)) columns.travel(b, batch, across);
    for (int p = 0; p < columns.leaders().count; ++p)
      if (is_root || (!columns.has_root() && p == node.own()))
        node.publish(s, p, node.slice(node.part(b.output(), p), s));
    node.exchange();
    if (!is_root) node.take(s, columns.has_root() ? node.result(s) : node.slice(own, s));
    if (columns.has_root() && batches.ends_at(s)) columns.travel(b, batch, across);
  }
}

Cost multi_leader_cost(const Call& call, const Parameters& parameters) {
  return columns_cost(call, parameters, across);
}

}  // namespace

extern constinit const Algorithm multi_leader{
    .collective = Collective::kBcast,
    .name = "multi_leader",
    .summary =
        "over nodes, long: leaders of each node send parts down their columns, and everybody takes them",
    .formula = "l m/f + ceil(log_2 N) (L + 2o + m/n_0 G) + 2 m c",
    .source = "Bayatpour et al. 2017, multiple leaders; Cheetah 2013, section III",
    .has_radix = true,
    .has_fragments = true,
    .follows_hierarchy = true,
    .build = build_multi_leader,
    .cost = multi_leader_cost,
};

}  // namespace weft::bcast
