// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/columns.hpp"

#include "algorithm/tiers.hpp"

namespace weft {

Batches::Batches(const Fragments& slices, Bytes bytes, int nodes) : slices_(slices.count()) {
  const std::int64_t wanted = slices.largest() > Bytes(0) ? bytes / slices.largest() : 1;
  const int most = std::clamp(kMostOnChain / nodes, 1, kMost);
  const int least = std::max((slices_ + most - 1) / most, 1);
  each_ = static_cast<int>(std::clamp<std::int64_t>(wanted, least, std::max(slices_, 1)));
  largest_ = std::min(slices.offset(each_), slices.total());
}

Columns::Columns(const Call& call, Rank self, const Parameters& parameters)
    : call_(call),
      parameters_(parameters),
      nodes_(nodes_of(call, parameters)),
      own_node_(number_of(nodes_, self)),
      root_node_(number_of(nodes_, call.root)) {
  std::size_t fewest = nodes_.front().size();
  for (const auto& node : nodes_) fewest = std::min(fewest, node.size());
  leaders_ = static_cast<int>(fewest);
  if (parameters.leaders > 0) leaders_ = std::min(leaders_, parameters.leaders);
  const int part = leaders().part_of(place_in(own_node_, self), static_cast<int>(node().size()));
  for (std::size_t at = 0; part < leaders_ && at < nodes_.size(); ++at)
    column_.push_back(nodes_[at][static_cast<std::size_t>(first_of(at) + part) % nodes_[at].size()]);
}

int Columns::place_in(std::size_t node, Rank rank) const {
  return static_cast<int>(std::find(nodes_[node].begin(), nodes_[node].end(), rank) - nodes_[node].begin());
}

int Columns::first_of(std::size_t node) const {
  return is_rooted(call_.collective) && node == root_node_ ? place_in(node, call_.root) : 0;
}

Subgroup Columns::node_group(Range contribution, Range output) const {
  const int root = has_root() ? place_in(own_node_, call_.root) : 0;
  return {.members = node(),
          .call = call_of_group(call_, call_.collective, static_cast<int>(node().size()), root, call_.bytes),
          .contribution = contribution,
          .output = output};
}

Call Columns::call_of_column(Bytes batch) const {
  return call_of_group(call_, call_.collective, nodes(), static_cast<int>(root_node_), batch);
}

void Columns::travel(Builder& b, Range batch, Across across) const {
  if (nodes() == 1 || batch.size == Bytes(0)) return;
  const Builder::Frame column(
      b, {.members = column_, .call = call_of_column(batch.size), .contribution = batch, .output = batch});
  across(b.call(), parameters_.leader_aim).build(b, {.radix = parameters_.radix});
}

Cost Columns::cost_of_travel(Bytes batch, Across across) const {
  if (nodes() == 1 || batch == Bytes(0)) return {};
  const Call column = call_of_column(batch);
  return across(column, parameters_.leader_aim).cost(column, {.radix = parameters_.radix});
}

Batches Columns::batches() const {
  return {slices_of_part(call_, parameters_.fragment, leaders_), parameters_.leader_fragment, nodes()};
}

void reduce_by_columns(Builder& b, const Parameters& parameters, Across across) {
  const Columns columns(b.call(), Rank(b.self()), parameters);
  const bool for_all = b.call().collective == Collective::kAllreduce;
  const bool takes = for_all || Rank(b.self()) == b.call().root;
  const bool somebody_takes = for_all || columns.has_root();
  const bool others_take = for_all || !takes;
  const Builder::Frame frame(b, columns.node_group(b.contribution(), b.output()));
  NodeParts node(b, parameters, columns.leaders(), NodeParts::Values::kCombined);
  const Batches batches = columns.batches();
  const int behind = std::min(2 * batches.slices_each(), batches.slices());

  Range sum;  // of this rank's own part; its own values may lie in the output
  if (node.leads() && for_all && !b.in_place()) sum = node.own_part(b.output());
  else if (node.leads()) sum = b.scratch(node.own_part(b.contribution()).size);
  for (int s = 0; s < batches.slices() + (somebody_takes ? behind : 0); ++s) {
    const int done = s - behind;
    const bool rises = s < batches.slices(), comes_down = somebody_takes && done >= 0;
    if (rises) node.leave(s);
    if (comes_down && others_take && node.leads()) node.publish(done, node.own(), node.slice(sum, done));
    if (rises || for_all || columns.leaders().count > 1) node.exchange();
    if (comes_down && takes) node.take(done, node.slice(sum, done));
    if (!rises || !node.leads()) continue;
    node.combine(s, node.slice(sum, s));
    if (batches.ends_at(s)) columns.travel(b, node.slices(sum, batches.first(batches.of(s)), s + 1), across);
  }
}

Cost columns_cost(const Call& call, const Parameters& parameters, Across across) {
  const Columns columns(call, Rank(0), parameters);
  const int leaders = columns.leaders().count;
  const Bytes part = largest_part(call, leaders);
  const Fragments slices = slices_of_part(call, parameters.fragment, leaders);
  const Batches batches = columns.batches();
  Cost cost;
  for (int batch = 0; batch < batches.count(); ++batch) {
    const Bytes end = std::min(slices.offset(batches.end(batch)), part);
    cost = cost + columns.cost_of_travel(end - slices.offset(batches.first(batch)), across);
  }
  if (!is_reduction(call.collective)) return cost;
  cost.reduced += part * (largest_of(columns.all_nodes()) - 1);
  return cost;
}

}  // namespace weft
