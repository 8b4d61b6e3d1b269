// SPDX-License-Identifier: BSD-3-Clause
// What the planner gives an algorithm besides the call.
#include <algorithm>

#include "algorithm/columns.hpp"
#include "planner/among_many.hpp"
#include "planner/lengths.hpp"
#include "planner/planner.hpp"
#include "planner/room.hpp"

namespace weft {

namespace {

// Leaders are whoever arrives last, unless combining a group could keep a rank longer than the 2 us that it
// may work for others (drop_in rule 8): kernels take some 10 bytes a nanosecond from the caches.
constexpr Bytes kMostForOthers{16 << 10};

Leader leader_for(const Call& call, const Hierarchy& hierarchy) {
  if (!is_reduction(call.collective)) return Leader::kLast;
  int widest = 1;
  for (int tier = 0; tier < hierarchy.memory_tiers(); ++tier)
    widest = std::max(widest, hierarchy.largest_group(tier));
  const bool is_bounded = !call.user_defined && call.bytes * widest <= kMostForOthers;
  return is_bounded ? Leader::kLast : Leader::kFixed;
}

// The parameters of an algorithm that follows a hierarchy. Between the representatives of the last tier parts
// of long blocks travel, rather than the whole.
void follow(const Call& call, const Placement& placement, Parameters& parameters) {
  const Hierarchy& hierarchy = *placement.hierarchy;
  parameters.hierarchy = &hierarchy;
  parameters.leader = leader_for(call, hierarchy);
  const std::size_t last = hierarchy.tiers().size() - 1;
  const auto members = std::int64_t{hierarchy.largest_group(static_cast<int>(last))};
  TierParameters& between = parameters.tiers[last];
  const bool is_long = call.bytes / members >= long_part(call, placement);
  if (is_long) between.aim = Aim::kBytes;
  else if (may_have_few_rounds(call, members, placement)) between.aim = Aim::kLatency;
}

// Every leader's part is long enough for a message, and what travels at a time for several.
void lead_columns(const Call& call, const Placement& placement, Parameters& parameters) {
  const Thresholds& thresholds = placement.thresholds;
  const bool is_many = is_among_many(call, placement);
  const Bytes part = is_many ? part_of_leader_among_many(placement) : thresholds.long_part;
  const auto parts = call.bytes / std::max(part, Bytes(1));
  parameters.leaders = static_cast<int>(std::clamp<std::int64_t>(parts, 1, call.rank_count));
  parameters.leader_fragment = thresholds.leader_fragment;
  if (placement.hierarchy == nullptr) return;
  parameters.fragment = fragment_of_leaders(call, placement);
  const Columns columns(call, call.root, parameters);
  const std::int64_t nodes = columns.nodes().count();
  const bool is_tree_better = is_rooted(call.collective) && nodes < kFewestForParts;
  const Bytes sent = columns.sent().largest();
  const bool sends_long =
      is_many ? sends_parts_among_many(call, sent, nodes, placement) : sent / nodes >= thresholds.long_part;
  if (sends_long && may_go_around_twice(nodes) && !is_tree_better) parameters.leader_aim = Aim::kBytes;
}

}  // namespace

Parameters parameters_for(const Algorithm& algorithm, const Call& call, const Placement& placement,
                          int radix) {
  Parameters parameters{.radix = radix};
  parameters.in_flight = placement.in_flight;
  // What goes through a node's memory has to fit there. Who cuts nothing into fragments may have room for
  // none.
  if (algorithm.may_send) {
    parameters.fragment = share_of_pair(call, placement);
    parameters.pair_fragment = fragment_of_pair(call, placement);
    if (placement.single_copy) parameters.single_copy_from = placement.single_copy_from;
  } else if (algorithm.within_node && !algorithm.single_copy) {
    parameters.fragment = std::max(fragment_within_node(call, placement), kLineStride);
  }
  if (algorithm.follows_hierarchy && placement.hierarchy != nullptr) follow(call, placement, parameters);
  if (algorithm.gathers) parameters.bracketing = Bracketing::kPinned;
  if (algorithm.has_columns()) lead_columns(call, placement, parameters);
  return parameters;
}

}  // namespace weft
