// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hierarchy.hpp"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <numeric>

namespace weft {

std::string_view name_of(Joined joined) {
  switch (joined) {
    case Joined::kMemory: return "memory";
    case Joined::kDevice: return "device";
    case Joined::kMessages: return "messages";
  }
  return "?";
}

namespace {

using Groups = std::vector<std::vector<Rank>>;

std::vector<Rank> all_ranks(int count) {
  std::vector<Rank> ranks(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) ranks[static_cast<std::size_t>(rank)] = Rank(rank);
  return ranks;
}

const Topology::Layer* layer_of(const Topology& topology, Level level) {
  for (const Topology::Layer& layer : topology.layers())
    if (layer.level == level) return &layer;
  return nullptr;
}

Joined joined_by(Level level) {
  if (level == Level::kNetwork) return Joined::kMessages;
  return level == Level::kDevice ? Joined::kDevice : Joined::kMemory;
}

// The farthest layer whose parts are within one node; none if the whole topology is.
const Topology::Layer* node_layer(const Topology& topology) {
  if (topology.root() == Level::kNode) return nullptr;
  for (const Topology::Layer& layer : topology.layers())
    if (layer.level >= Level::kNode) return &layer;
  return &topology.layers().back();
}

// Per rank the part of the layer that it sits in; without a layer all are in one.
std::vector<int> parts_of_ranks(const Topology::Layer* layer, std::span<const int> places) {
  std::vector<int> parts(places.size(), 0);
  for (std::size_t rank = 0; layer != nullptr && rank < places.size(); ++rank)
    parts[rank] = layer->run_of(places[rank]);
  return parts;
}

// `members` by the part that they sit in, parts in the order of their first member.
Groups divide(const std::vector<Rank>& members, const std::vector<int>& part_of_rank) {
  Groups parts;
  std::map<int, std::size_t> position;
  for (const Rank member : members) {
    const auto [at, is_new] =
        position.try_emplace(part_of_rank[static_cast<std::size_t>(member.value)], parts.size());
    if (is_new) parts.emplace_back();
    parts[at->second].push_back(member);
  }
  return parts;
}

// All ranks as the representative of all lists those that it stands for.
std::vector<Rank> order_of(const std::vector<Groups>& tiers, int rank_count) {
  Groups stands_for;  // by member
  for (const Rank rank : all_ranks(rank_count)) stands_for.push_back({rank});
  for (const Groups& groups : tiers)
    for (const auto& group : groups) {
      std::vector<Rank> part;
      for (const Rank member : group) {
        const std::vector<Rank>& ranks = stands_for[static_cast<std::size_t>(member.value)];
        part.insert(part.end(), ranks.begin(), ranks.end());
      }
      stands_for[static_cast<std::size_t>(group.front().value)] = std::move(part);
    }
  return stands_for[static_cast<std::size_t>(tiers.back().front().front().value)];
}

// What the groups of a tier stand for begins with their first members.
Parts parts_of(const Groups& groups, const std::shared_ptr<const Line>& line) {
  std::vector<int> begins{line->size()};
  for (const auto& group : groups) begins.push_back(line->position_of(group.front()));
  std::sort(begins.begin(), begins.end());
  return {line, std::move(begins)};
}

// These parts in a line.
Parts side_by_side(const Groups& parts) {
  std::vector<Rank> ranks;
  std::vector<int> begins{0};
  for (const auto& part : parts) {
    ranks.insert(ranks.end(), part.begin(), part.end());
    begins.push_back(static_cast<int>(ranks.size()));
  }
  return {std::make_shared<const Line>(std::move(ranks)), std::move(begins)};
}

// "core, node", from near to far: what a depth may name.
std::string levels_of(const Topology& topology) {
  std::string list;
  const auto add = [&](Level level) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", name_of(level));
  };
  for (auto layer = topology.layers().rbegin(); layer != topology.layers().rend(); ++layer) add(layer->level);
  if (layer_of(topology, topology.root()) == nullptr) add(topology.root());
  return list;
}

std::string all_levels() {
  std::string list;
  for (auto level = kLevels.rbegin(); level != kLevels.rend(); ++level)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", name_of(*level));
  return list;
}

bool has_level(const Topology& topology, Level level) {
  return level == topology.root() || layer_of(topology, level) != nullptr;
}

// With no topology the levels are only read: some topology may have them.
Result<std::vector<Level>> parse_depth(const Topology* topology, std::string_view depth) {
  const auto wrong = [&](std::string what) {
    const std::string choice = topology == nullptr
                                   ? all_levels()
                                   : fmt::format("{} for `{}`", levels_of(*topology), topology->text());
    return Error{
        fmt::format("hierarchy `{}`: {}; write flat, or levels from near to far joined by +, out of {}",
                    depth, what, choice)};
  };
  std::vector<Level> levels;
  if (depth == "flat") return levels;
  for (std::size_t begin = 0; begin <= depth.size();) {
    const std::size_t end = std::min(depth.find('+', begin), depth.size());
    const std::string_view word = depth.substr(begin, end - begin);
    const auto level = level_named(word);
    if (!level) return wrong(fmt::format("there is no level `{}`", word));
    if (topology != nullptr && !has_level(*topology, *level))
      return wrong(fmt::format("the topology has no {}", word));
    if (!levels.empty() && *level >= levels.back())
      return wrong(fmt::format("{} does not come after {}", word, name_of(levels.back())));
    levels.push_back(*level);
    begin = end + 1;
  }
  return levels;
}

}  // namespace

Hierarchy::Hierarchy(Structure structure) {
  for (int tier = 0; tier < static_cast<int>(structure.tiers.size()); ++tier) {
    int largest = 0;
    for (int number = 0; number < structure.parts[static_cast<std::size_t>(tier) + 1].count(); ++number)
      largest = std::max(largest, structure.group(tier, number).size);
    structure.largest_groups.push_back(largest);
  }
  structure_ = std::make_shared<const Structure>(std::move(structure));
}

Hierarchy Hierarchy::flat(int rank_count) {
  const auto line = std::make_shared<const Line>(rank_count);
  const Parts ranks(line);
  return Hierarchy({.depth = "flat",
                    .tiers = {{Level::kNetwork, Joined::kMessages}},
                    .parts = {ranks, Parts(line, {0, rank_count})},
                    .nodes = ranks});
}

Result<std::vector<Level>> levels_named(std::string_view depth) { return parse_depth(nullptr, depth); }

bool names_levels_within_node(std::string_view depth) {
  const auto levels = levels_named(depth);
  return levels &&
         std::any_of(levels->begin(), levels->end(), [](Level level) { return level > Level::kNode; });
}

Result<Hierarchy> Hierarchy::make_from_what_is_there(const Topology& topology, std::string_view depth,
                                                     std::span<const int> places) {
  const auto levels = levels_named(depth);
  if (!levels) return Error{levels.error()};
  std::string there;
  for (const Level level : *levels)
    if (has_level(topology, level)) there += fmt::format("{}{}", there.empty() ? "" : "+", name_of(level));
  return make(topology, there.empty() ? "flat" : there, places);
}

Result<Hierarchy> Hierarchy::make(const Topology& topology, std::string_view depth,
                                  std::span<const int> places) {
  const auto levels = parse_depth(&topology, depth);
  if (!levels) return Error{levels.error()};
  std::vector<int> first_places(static_cast<std::size_t>(topology.rank_count()));
  std::iota(first_places.begin(), first_places.end(), 0);
  if (places.empty()) places = first_places;
  assert(places.size() == first_places.size());

  std::vector<Tier> tiers;
  std::vector<Groups> groups;  // by tier
  std::vector<Rank> members = all_ranks(topology.rank_count());
  const auto add_tier = [&](Level level, const Topology::Layer* layer) {
    Groups own = divide(members, parts_of_ranks(layer, places));
    if (own.size() == members.size()) return;  // joins nobody
    members.clear();
    for (const auto& group : own) members.push_back(group.front());
    tiers.push_back({level, joined_by(level)});
    groups.push_back(std::move(own));
  };
  for (const Level level : *levels) add_tier(level, layer_of(topology, level));
  add_tier(topology.root(), nullptr);
  if (tiers.empty()) {  // a rank alone
    tiers.push_back({topology.root(), joined_by(topology.root())});
    groups.push_back({members});
  }

  const auto order = order_of(groups, topology.rank_count());
  const auto line = std::make_shared<const Line>(order);
  std::vector<Parts> parts{Parts(line)};
  for (const Groups& own : groups) parts.push_back(parts_of(own, line));
  Hierarchy hierarchy({.depth = std::string(depth),
                       .tiers = std::move(tiers),
                       .parts = std::move(parts),
                       .nodes = side_by_side(divide(order, parts_of_ranks(node_layer(topology), places)))});
  if (hierarchy.memory_tiers() > kMostMemoryTiers)
    return Error{
        fmt::format("hierarchy `{}`: {} of its tiers share memory, and {} is the most: leave levels out",
                    depth, hierarchy.memory_tiers(), kMostMemoryTiers)};
  return hierarchy;
}

Hierarchy Hierarchy::in_narrow_groups() const {
  assert(leader_ == Rank(0) && "representatives are moved from where they were made");
  Hierarchy narrow = *this;
  for (int t = 0; t < static_cast<int>(narrow.tiers().size()); ++t) {
    const Tier tier = narrow.tiers()[static_cast<std::size_t>(t)];
    if (tier.joined != Joined::kMemory) break;
    const bool has_room = narrow.memory_tiers() < kMostMemoryTiers && narrow.tiers().size() < kMostTiers;
    if (narrow.largest_group(t) <= kMostAtOneLine || !has_room) continue;
    const Parts& members = narrow.parts(t);
    std::vector<int> begins;
    for (int number = 0; number < narrow.parts(t + 1).count(); ++number) {
      const Seat group = narrow.structure_->group(t, number);
      const int parts = (group.size + kMostAtOneLine - 1) / kMostAtOneLine;
      for (int part = 0; part < parts; ++part)
        begins.push_back(members.begin(group.first + group.size * part / parts));
    }
    begins.push_back(rank_count());
    Structure structure = *narrow.structure_;
    structure.tiers.insert(structure.tiers.begin() + t, tier);
    structure.parts.insert(structure.parts.begin() + t + 1, members.cut_at(std::move(begins)));
    structure.largest_groups.clear();
    narrow = Hierarchy(std::move(structure));
  }
  return narrow;
}

int Hierarchy::memory_tiers() const {
  return static_cast<int>(std::count_if(tiers().begin(), tiers().end(),
                                        [](const Tier& tier) { return tier.joined == Joined::kMemory; }));
}

Hierarchy Hierarchy::led_by(Rank leader) const {
  assert(leader_ == Rank(0) && "representatives are moved from where they were made");
  Hierarchy led = *this;
  led.leader_ = leader;
  return led;
}

// Seen from its first member, which represents it.
Hierarchy::Seat Hierarchy::Structure::group(int tier, int number) const {
  const Parts& members = parts[static_cast<std::size_t>(tier)];
  const Parts& groups = parts[static_cast<std::size_t>(tier) + 1];
  const int first = members.number_at(groups.begin(number));
  const int end = members.number_at(groups.end(number) - 1) + 1;
  return {.tier = tier, .first = first, .size = end - first};
}

Hierarchy::Seat Hierarchy::seat(int tier, Rank rank) const {
  const Parts& members = parts(tier);
  const Parts& groups = parts(tier + 1);
  const int number = groups.number_of(rank);
  Seat seat = structure_->group(tier, number);
  seat.place = members.number_of(rank) - seat.first;
  if (groups.has(number, leader_)) seat.representative = members.number_of(leader_) - seat.first;
  return seat;
}

std::vector<Hierarchy::Seat> Hierarchy::seats(Rank rank) const {
  std::vector<Seat> seats;
  for (int tier = 0; tier < static_cast<int>(tiers().size()); ++tier) {
    seats.push_back(seat(tier, rank));
    if (!seats.back().represents()) break;
  }
  return seats;
}

std::vector<Rank> Hierarchy::members(const Seat& seat) const {
  std::vector<Rank> members;
  for (int place = 0; place < seat.size; ++place) members.push_back(member(seat, place));
  return members;
}

std::vector<std::vector<Rank>> Hierarchy::groups(int tier) const {
  Groups groups;
  for (int number = 0; number < parts(tier + 1).count(); ++number)
    groups.push_back(members(structure_->group(tier, number)));
  return groups;
}

namespace {

constexpr std::size_t kWidestDrawing = 100;

// The members of all groups in their columns, those of one group connected: "0─1─2 3─4".
std::string draw(const Groups& groups, const std::vector<std::size_t>& column_of_rank) {
  std::string line;
  std::size_t at = 0;
  const auto advance = [&](std::size_t column, const char* with) {
    for (; at < column; ++at) line += with;
  };
  for (const auto& group : groups)
    for (const Rank member : group) {
      advance(column_of_rank[static_cast<std::size_t>(member.value)], member == group.front() ? " " : "─");
      const std::string number = std::to_string(member.value);
      line += number;
      at += number.size();
    }
  return line;
}

// "6 groups of 4", "3 groups of 1 to 4".
std::string count(const Groups& groups) {
  const auto [least, most] = std::minmax_element(
      groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return fmt::format("{} group{} of {}", groups.size(), groups.size() == 1 ? "" : "s",
                     least->size() == most->size() ? fmt::format("{}", most->size())
                                                   : fmt::format("{} to {}", least->size(), most->size()));
}

}  // namespace

std::string Hierarchy::text() const {
  std::vector<std::size_t> columns(static_cast<std::size_t>(rank_count()));
  std::size_t width = 0;
  for (const Rank rank : order()) {
    columns[static_cast<std::size_t>(rank.value)] = width;
    width += std::to_string(rank.value).size() + 1;
  }
  std::string text;
  for (int t = static_cast<int>(tiers().size()) - 1; t >= 0; --t) {
    const Tier& tier = tiers()[static_cast<std::size_t>(t)];
    text += fmt::format("{:<9}{:<10}{}\n", name_of(tier.level), name_of(tier.joined),
                        width <= kWidestDrawing ? draw(groups(t), columns) : count(groups(t)));
  }
  return text;
}

}  // namespace weft
