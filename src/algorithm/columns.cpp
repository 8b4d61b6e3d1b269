// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/columns.hpp"

#include "algorithm/tiers.hpp"

namespace weft {

namespace {

// Times that a leader sends: each takes scratch of its own, and a schedule has only so many buffers.
constexpr int kMostSent = 32;

int leaders_on(const Islands& nodes, const Parameters& parameters) {
  const int most = nodes.all().smallest();
  return parameters.leaders > 0 ? std::min(most, parameters.leaders) : most;
}

// How many fragments have about so many bytes.
int sent_together(const Fragments& fragments, Bytes bytes, int nodes) {
  const std::int64_t wanted = fragments.largest() > Bytes(0) ? bytes / fragments.largest() : 1;
  const int most = std::clamp(kMostOnChain / nodes, 1, kMostSent);
  const int least = std::max((fragments.count() + most - 1) / most, 1);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, least, std::max(fragments.count(), 1)));
}

}  // namespace

Columns::Columns(const Call& call, Rank self, const Parameters& parameters)
    : call_(call),
      parameters_(parameters),
      nodes_(nodes_of(call, parameters, self)),
      leaders_(leaders_on(nodes_, parameters)),
      fragments_(fragments_of_part(call, parameters.fragment, leaders_)),
      together_(sent_together(fragments_, parameters.leader_fragment, nodes_.count())),
      sent_(fragments_.total(), fragments_.offset(together_), call.element_bytes) {}

Call Columns::call_of_column(Bytes sent) const {
  return call_of_group(call_, call_.collective, nodes_.count(), nodes_.all().number_of(call_.root), sent);
}

void Columns::cross(Builder& b, Range sent, Across across) const {
  if (nodes_.count() == 1 || sent.size == Bytes(0)) return;
  const int part = leaders().part_of(nodes_.place(), static_cast<int>(nodes_.own().size()));
  const Call call = call_of_column(sent.size);
  build_in(b, {.members = nodes_.column(part), .call = call, .contribution = sent, .output = sent},
           across(call, parameters_.leader_aim), {.radix = parameters_.radix});
}

Cost Columns::cost_of_crossing(Bytes sent, Across across) const {
  if (nodes_.count() == 1 || sent == Bytes(0)) return {};
  const Call call = call_of_column(sent);
  return across(call, parameters_.leader_aim).cost(call, {.radix = parameters_.radix});
}

void reduce_by_columns(Builder& b, const Parameters& parameters, Across across) {
  const Columns columns(b.call(), Rank(b.self()), parameters);
  const bool for_all = b.call().collective == Collective::kAllreduce;
  const bool takes = for_all || Rank(b.self()) == b.call().root;
  const bool somebody_takes = for_all || columns.nodes().has(b.call().root);
  const bool others_take = for_all || !takes;
  const Builder::Frame frame(
      b, columns.nodes().group(b.call(), b.call().collective, b.contribution(), b.output()));
  NodeParts node(b, parameters, columns.leaders(), NodeParts::Values::kCombined);
  const Fragments& fragments = node.fragments();
  const int behind = columns.first(2);

  Range sum;  // of this rank's own part; its own values may lie in the output
  if (node.leads() && for_all && !b.in_place()) sum = node.own_part(b.output());
  else if (node.leads()) sum = b.scratch(node.own_part(b.contribution()).size);
  for (int f = 0; f < fragments.count() + (somebody_takes ? behind : 0); ++f) {
    const int done = f - behind;
    const bool rises = f < fragments.count(), comes_down = somebody_takes && done >= 0;
    if (rises) node.leave(f);
    if (comes_down && others_take && node.leads()) node.publish(done, node.own(), fragments.of(sum, done));
    if (rises || for_all || columns.leaders().count > 1) node.exchange();
    if (comes_down && takes) node.take(done, fragments.of(sum, done));
    if (!rises || !node.leads()) continue;
    node.combine(f, fragments.of(sum, f));
    const int number = columns.number_of(f);
    if (f + 1 == columns.first(number + 1)) columns.cross(b, columns.sent().of(sum, number), across);
  }
}

Cost cost_by_columns(const Call& call, const Parameters& parameters, Across across) {
  const Columns columns(call, Rank(0), parameters);
  Cost cost;
  for (int number = 0; number < columns.sent().count(); ++number)
    cost = cost + columns.cost_of_crossing(columns.sent().size(number), across);
  if (!is_reduction(call.collective)) return cost;
  cost.reduced += columns.sent().total() * (columns.nodes().all().largest() - 1);
  return cost;
}

}  // namespace weft
