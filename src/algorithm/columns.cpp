// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/columns.hpp"

#include "algorithm/tiers.hpp"

namespace weft {

Batches::Batches(const Fragments& slices, Bytes bytes, int nodes) : slices_(slices.count()) {
  const std::int64_t wanted = slices.largest() > Bytes(0) ? bytes / slices.largest() : 1;
  const int most = std::clamp(kMostOnChain / nodes, 1, kMost);
  const int least = std::max((slices_ + most - 1) / most, 1);
  each_ = static_cast<int>(std::clamp<std::int64_t>(wanted, least, std::max(slices_, 1)));
}

Columns::Columns(const Call& call, Rank self, const Parameters& parameters)
    : call_(call),
      parameters_(parameters),
      self_(self),
      nodes_(nodes_of(call, parameters)),
      own_node_(number_of(nodes_, self)),
      root_node_(number_of(nodes_, call.root)) {
  std::size_t fewest = nodes_.front().size();
  for (const auto& node : nodes_) fewest = std::min(fewest, node.size());
  leaders_ = static_cast<int>(fewest);
  if (parameters.leaders > 0) leaders_ = std::min(leaders_, parameters.leaders);
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
  const int part = leaders().part_of(place_in(own_node_, self_), static_cast<int>(node().size()));
  std::vector<Rank> members;
  for (std::size_t at = 0; at < nodes_.size(); ++at)
    members.push_back(nodes_[at][static_cast<std::size_t>(first_of(at) + part) % nodes_[at].size()]);
  const Builder::Frame column(b, {.members = std::move(members),
                                  .call = call_of_column(batch.size),
                                  .contribution = batch,
                                  .output = batch});
  across(b, parameters_.leader_aim);
}

Batches Columns::batches() const {
  return {slices_of_part(call_, parameters_.fragment, leaders_), parameters_.leader_fragment, nodes()};
}

void reduce_by_columns(Builder& b, const Parameters& parameters, Columns::Across across) {
  const Columns columns(b.call(), Rank(b.self()), parameters);
  const bool for_all = b.call().collective == Collective::kAllreduce;
  const bool takes = for_all || Rank(b.self()) == b.call().root;
  const bool somebody_takes = for_all || columns.has_root();
  const bool others_take = for_all || !takes;
  const Builder::Frame frame(b, columns.node_group(b.contribution(), b.output()));
  NodeParts node(b, parameters, columns.leaders(), NodeParts::Values::kCombined);
  const Batches batches = columns.batches();
  const int behind = std::min(2 * batches.slices_each(), batches.slices());

  Range sum;  // of the own part; the own values may lie in the output
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

Cost columns_cost(const Call& call, const Parameters& parameters, Cost (*of_batch)(const Call&, Aim)) {
  const Columns columns(call, Rank(0), parameters);
  const int leaders = columns.leaders().count;
  const Range whole{kOutput, Bytes(0), call.bytes};
  const Range part = even_part(whole, call.element_bytes, leaders - 1, leaders);
  const Fragments slices = slices_of_part(call, parameters.fragment, leaders);
  const Batches batches = columns.batches();
  Cost cost;
  for (int batch = 0; batch < batches.count() && columns.nodes() > 1; ++batch) {
    const Bytes end = std::min(slices.offset(batches.end(batch)), part.size);
    const Bytes bytes = end - slices.offset(batches.first(batch));
    cost = cost + of_batch(columns.call_of_column(bytes), parameters.leader_aim);
  }
  if (!is_reduction(call.collective)) return cost;
  cost.reduced += part.size * (largest_of(columns.all_nodes()) - 1);
  return cost;
}

}  // namespace weft
