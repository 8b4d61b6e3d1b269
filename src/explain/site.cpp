// SPDX-License-Identifier: BSD-3-Clause
#include "explain/site.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "node/budget.hpp"

namespace weft {
namespace {

// The memory of a communicator on these nodes: on each as much as on the one that has least.
SharedMemory memory_on(const std::vector<int>& sizes_of_nodes, const NodeSettings& settings) {
  SharedMemory memory{.exists = true, .rank_bytes = settings.rank_bytes, .reachable = true};
  for (const int ranks : sizes_of_nodes) {
    const auto rank_bytes = node::first_rank_bytes(settings, ranks);
    if (!rank_bytes) return {};
    memory.rank_bytes = std::min(memory.rank_bytes, *rank_bytes);
  }
  return memory;
}

// Empty if one device joins all nodes, or nobody has said which.
std::vector<int> devices_on(const Topology& machine) {
  const auto joined = machine.groups(Level::kDevice);
  std::vector<int> device_of;
  if (joined.size() < 2) return device_of;
  for (std::size_t device = 0; device < joined.size(); ++device)
    device_of.insert(device_of.end(), joined[device].size(), static_cast<int>(device));
  return device_of;
}

}  // namespace

Placement placement_over(const Hierarchy* hierarchy, int rank_count, const SharedSettings& settings) {
  std::vector<int> nodes;  // their sizes
  for (int node = 0; hierarchy != nullptr && node < hierarchy->nodes().count(); ++node)
    nodes.push_back(hierarchy->nodes().size(node));
  if (hierarchy == nullptr) nodes.push_back(rank_count);
  return placement_of(memory_on(nodes, settings.node), nodes.size() == 1, hierarchy, settings);
}

Result<Site> site_on(const Topology& machine, const SharedSettings& settings) {
  Site site;
  if (machine.rank_count() == 1) return site;
  std::vector<int> nodes;  // their sizes
  for (const auto& node : machine.groups(Level::kNode)) nodes.push_back(static_cast<int>(node.size()));
  site.on_one_node = nodes.size() == 1;
  site.device_of = devices_on(machine);
  site.memory = memory_on(nodes, settings.node);
  const bool needs_none = site.on_one_node && is_one_group(machine.rank_count(), settings.hierarchy);
  if (!site.memory.exists || needs_none) return site;
  const std::string& depth = settings.hierarchy;
  auto hierarchy =
      hierarchy_for(machine, site.device_of.empty() ? depth : with_device(depth), site.on_one_node);
  if (!hierarchy) return Error{hierarchy.error()};
  site.hierarchy = std::move(*hierarchy);
  return site;
}

Result<Site> site_of(int rank_count, const SharedSettings& settings) {
  const std::string one_node = fmt::format("core:{}", rank_count);
  const auto machine = Topology::parse(settings.topology.empty() ? one_node : settings.topology);
  if (!machine) return Error{machine.error()};
  const auto fitting = machine->with_ranks(rank_count);
  if (!fitting) return Error{fitting.error()};
  return site_on(*fitting, settings);
}

}  // namespace weft
