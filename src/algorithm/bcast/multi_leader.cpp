// SPDX-License-Identifier: BSD-3-Clause
// Bcast of long messages over nodes: the root leaves the message in the memory of its node, every leader
// there sends its part down its column, and on each node all take what its leaders have got.
#include "algorithm/catalog.hpp"
#include "algorithm/columns.hpp"

namespace weft::bcast {

namespace {

const Algorithm& across(const Call&, Aim aim) { return aim == Aim::kBytes ? scatter_allgather : k_nomial; }

void build_multi_leader(Builder& b, const Parameters& parameters) {
  const Columns columns(b.call(), Rank(b.self()), parameters);
  const bool is_root = Rank(b.self()) == b.call().root, has_root = columns.nodes().has(b.call().root);
  const Builder::Frame frame(b, columns.nodes().group(b.call(), Collective::kBcast, b.output(), b.output()));
  NodeParts node(b, parameters, columns.leaders(), NodeParts::Values::kNone);
  const Range own = node.leads() ? node.own_part(b.output()) : Range{};
  for (int number = 0; number < columns.sent().count(); ++number) {
    const Range sent = columns.sent().of(own, number);
    if (!has_root) columns.cross(b, sent, across);
    for (int f = columns.first(number); f < columns.first(number + 1); ++f) {
      for (int p = 0; p < columns.leaders().count; ++p)
        if (is_root || (!has_root && p == node.own()))
          node.publish(f, p, node.fragments().of(node.part(b.output(), p), f));
      node.exchange();
      if (!is_root) node.take(f, has_root ? node.result(f) : node.fragments().of(own, f));
    }
    if (has_root) columns.cross(b, sent, across);
  }
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
    .cost = cost_by_columns<across>,
};

}  // namespace weft::bcast
