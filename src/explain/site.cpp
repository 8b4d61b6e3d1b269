// SPDX-License-Identifier: BSD-3-Clause
#include "explain/site.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "node/area.hpp"

namespace weft {
namespace {

// How many ranks the fullest node has.
int largest_node(const Topology& machine) {
  std::size_t most = 1;
  for (const auto& node : machine.groups(Level::kNode)) most = std::max(most, node.size());
  return static_cast<int>(most);
}

// What a communicator of so many ranks on a node gets of its memory for each rank; nothing if there is not
// even room for lines.
std::optional<Bytes> slot_bytes_for(const NodeSettings& settings, int members) {
  if (!settings.enabled) return std::nullopt;
  for (const Bytes slot_bytes : {settings.slot_bytes, Bytes(0)}) {
    const node::AreaShape shape{.members = members, .slots = settings.slots, .slot_bytes = slot_bytes};
    if (shape.size() <= settings.memory / members) return slot_bytes;
  }
  return std::nullopt;
}

}  // namespace

Result<Site> site_on(const Topology& machine, const SharedSettings& settings) {
  Site site{.node = settings.node, .thresholds = settings.thresholds};
  const int members = largest_node(machine);
  const auto slot_bytes = slot_bytes_for(settings.node, members);
  if (!slot_bytes || machine.rank_count() == 1) return site;
  site.one_node = members == machine.rank_count();
  site.slot_bytes = *slot_bytes;
  auto made = Hierarchy::make_from_what_is_there(machine, settings.hierarchy);
  if (!made) return Error{made.error()};
  if (made->memory_tiers() == 0) return site;
  Hierarchy narrow = made->in_narrow_groups();
  const bool is_one_group = site.one_node && (narrow.depth() == "flat" || narrow.tiers().size() == 1);
  if (!is_one_group) site.hierarchy = std::move(narrow);
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

std::string sentence(const Choice& choice) {
  const Parameters& parameters = choice.parameters;
  std::string text(choice.algorithm->name);
  if (choice.algorithm->follows_hierarchy && parameters.hierarchy != nullptr)
    text += " " + parameters.hierarchy->depth();
  if (choice.algorithm->has_radix) text += fmt::format(" radix={}", parameters.radix);
  return text + ": " + choice.why;
}

}  // namespace weft
