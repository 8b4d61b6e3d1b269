// SPDX-License-Identifier: BSD-3-Clause
#include "planner/placement.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "topology/hierarchy.hpp"

namespace weft {

namespace {

// Where ranks outnumber cores, each fragment costs everybody a turn on a core: so there are fewer.
constexpr int kCrowded = 4;

}  // namespace

Placement placement_of(const SharedMemory& memory, bool on_one_node, const Hierarchy* hierarchy,
                       const SharedSettings& settings, bool shares_cores) {
  shares_cores = shares_cores && !on_one_node;
  const bool is_far = !on_one_node && settings.nodes_are_far();
  if (!memory.exists)
    return {.is_far = is_far, .shares_cores = shares_cores, .thresholds = settings.thresholds};
  Placement placement{
      .one_node = on_one_node,
      .rank_bytes = memory.rank_bytes,
      .in_flight = settings.node.in_flight,
      .single_copy = on_one_node && memory.reachable,
      .kernel_is_faster = on_one_node && (settings.node.copies == "kernel" ||
                                          (settings.node.copies == "measured" && memory.kernel_is_faster)),
      .has_agents = settings.device == "agent" && settings.node.copies != "memory",
      .single_copy_from = settings.node.single_copy,
      .hierarchy = hierarchy,
      .is_far = is_far,
      .shares_cores = shares_cores,
      .crowded = on_one_node && memory.crowded,
      .thresholds = settings.thresholds};
  if (placement.crowded) placement.larger_fragments = kCrowded;
  return placement;
}

// Above the nodes, and below the network, which joins everybody.
std::string with_device(const std::string& depth) {
  constexpr std::string_view kDevice = "device", kNetwork = "network";
  const auto levels = levels_named(depth);
  if (!levels || levels->empty() ||
      std::find(levels->begin(), levels->end(), Level::kDevice) != levels->end())
    return depth;
  if (levels->back() != Level::kNetwork) return fmt::format("{}+{}", depth, kDevice);
  const std::string below = depth.substr(0, depth.size() - kNetwork.size());
  return fmt::format("{}{}+{}", below, kDevice, kNetwork);
}

bool is_one_group(int ranks, std::string_view depth) {
  return depth == "flat" || (depth == "node" && ranks <= Hierarchy::kMostAtOneLine);
}

Result<std::optional<Hierarchy>> hierarchy_for(const Topology& topology, std::string_view depth,
                                               bool on_one_node, std::span<const int> places) {
  const auto made = Hierarchy::make_from_what_is_there(topology, depth, places);
  if (!made) return Error{made.error()};
  std::optional<Hierarchy> hierarchy;
  if (made->memory_tiers() > 0 || made->tiers().size() > 1) hierarchy = made->in_narrow_groups();
  const bool says_nothing =
      hierarchy && on_one_node && (hierarchy->depth() == "flat" || hierarchy->tiers().size() == 1);
  if (says_nothing) hierarchy.reset();
  return hierarchy;
}

}  // namespace weft
