// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/build.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "algorithm/tiers.hpp"
#include "collective/oracle.hpp"

namespace weft {

bool nothing_travels(const Call& call) {
  if (!knows_all_blocks(call.collective)) return false;
  if (call.rank_count == 1 && !has_parcels(call.collective)) return true;
  return call.bytes == Bytes(0) && call.collective != Collective::kBarrier;
}

std::string label_of(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  std::string label(algorithm.name);
  if (algorithm.follows_hierarchy) label += " " + hierarchy_of(algorithm, call, parameters).depth();
  if (algorithm.has_leaders() && parameters.leader == Leader::kFixed) label += " leader=fixed";
  if (algorithm.has_radix) label += " radix=" + std::to_string(parameters.radix);
  if (algorithm.has_bcast_radix && parameters.bcast_radix != 0)
    label += " bcast_radix=" + std::to_string(parameters.bcast_radix);
  if (algorithm.has_window) label += " window=" + std::to_string(parameters.window);
  if (algorithm.has_fragments) label += " fragment=" + std::to_string(parameters.fragment.value);
  if (parameters.pair_fragment > Bytes(0))
    label += " pair_fragment=" + std::to_string(parameters.pair_fragment.value);
  if ((algorithm.within_node || algorithm.gathers) && parameters.bracketing == Bracketing::kPinned)
    label += " pinned";
  return label;
}

namespace {

// A call on one rank: its contribution is its result, where it gets one.
void keep_own(Builder& b) {
  if (b.contribution().size == b.output().size) b.copy(b.contribution(), b.output());
}

}  // namespace

Schedule build(const Algorithm& algorithm, const Call& call, const Parameters& parameters, Rank self,
               bool in_place, Parcels parcels, Builder::Edges edges) {
  assert(algorithm.collective == call.collective && algorithm.eligible(call));
  assert(parameters.radix >= 2 && parameters.bcast_radix != 1 && parameters.window >= 1);
  assert(call.rank_count >= 1 && self.value >= 0 && self.value < call.rank_count);
  assert(parameters.hierarchy == nullptr || parameters.hierarchy->rank_count() == call.rank_count);
  assert(call.element_bytes > Bytes(0) && call.bytes.value % call.element_bytes.value == 0);
  assert(has_parcels(call.collective) || parcels.empty());
  Builder builder(call, self, in_place && can_be_in_place(call, self), std::move(parcels), edges);
  if (!nothing_travels(call)) algorithm.build(builder, parameters);
  else if (call.rank_count == 1) keep_own(builder);
  return std::move(builder).finish(label_of(algorithm, call, parameters));
}

bool can_be_in_place(const Call& call, Rank self) {
  if (call.collective == Collective::kBarrier || call.collective == Collective::kBcast) return false;
  return oracle_of(call.collective).may_be_in_place(call, self);
}

Schedule build_example(const Algorithm& algorithm, const Call& call, const Parameters& parameters, Rank self,
                       bool in_place) {
  return build(algorithm, call, parameters, self, in_place,
               example_parcels(call, self, in_place && can_be_in_place(call, self)));
}

Cost cost_of(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  return nothing_travels(call) ? Cost{} : algorithm.cost(call, parameters);
}

}  // namespace weft
