// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hierarchy.hpp"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <map>
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

using Parts = std::vector<std::vector<Rank>>;

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
Parts divide(const std::vector<Rank>& members, const std::vector<int>& part_of_rank) {
  Parts parts;
  std::map<int, std::size_t> position;
  for (const Rank member : members) {
    const auto [at, is_new] =
        position.try_emplace(part_of_rank[static_cast<std::size_t>(member.value)], parts.size());
    if (is_new) parts.emplace_back();
    parts[at->second].push_back(member);
  }
  return parts;
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

Hierarchy Hierarchy::flat(int rank_count) {
  Hierarchy hierarchy;
  hierarchy.depth_ = "flat";
  hierarchy.order_ = all_ranks(rank_count);
  hierarchy.tiers_.push_back({Level::kNetwork, Joined::kMessages, {hierarchy.order_}});
  hierarchy.node_.resize(static_cast<std::size_t>(rank_count));
  std::iota(hierarchy.node_.begin(), hierarchy.node_.end(), 0);
  return hierarchy;
}

Result<std::vector<Level>> levels_named(std::string_view depth) { return parse_depth(nullptr, depth); }

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

  Hierarchy hierarchy;
  hierarchy.depth_ = depth;
  std::vector<Rank> members = all_ranks(topology.rank_count());
  const auto add_tier = [&](Level level, const Topology::Layer* layer) {
    Tier tier{level, joined_by(level), divide(members, parts_of_ranks(layer, places))};
    if (tier.groups.size() == members.size()) return;  // joins nobody
    members.clear();
    for (const auto& group : tier.groups) members.push_back(group.front());
    hierarchy.tiers_.push_back(std::move(tier));
  };
  for (const Level level : *levels) add_tier(level, layer_of(topology, level));
  add_tier(topology.root(), nullptr);
  if (hierarchy.tiers_.empty())
    hierarchy.tiers_.push_back({topology.root(), joined_by(topology.root()), {members}});  // a rank alone

  if (hierarchy.memory_tiers() > kMostMemoryTiers)
    return Error{
        fmt::format("hierarchy `{}`: {} of its tiers share memory, and {} is the most: leave levels out",
                    depth, hierarchy.memory_tiers(), kMostMemoryTiers)};
  hierarchy.node_ = parts_of_ranks(node_layer(topology), places);
  hierarchy.put_in_order();
  return hierarchy;
}

Hierarchy Hierarchy::in_narrow_groups() const {
  constexpr std::size_t most = kMostAtOneLine;
  assert(leader_ == Rank(0) && "representatives are moved from where they were made");
  Hierarchy narrow = *this;
  for (std::size_t t = 0; t < narrow.tiers_.size() && narrow.tiers_[t].joined == Joined::kMemory; ++t) {
    const bool has_room = narrow.memory_tiers() < kMostMemoryTiers && narrow.tiers_.size() < kMostTiers;
    const bool is_wide = std::any_of(narrow.tiers_[t].groups.begin(), narrow.tiers_[t].groups.end(),
                                     [&](const auto& group) { return group.size() > most; });
    if (!is_wide || !has_room) continue;
    Tier below = narrow.tiers_[t];
    below.groups.clear();
    for (auto& group : narrow.tiers_[t].groups) {
      const std::size_t parts = (group.size() + most - 1) / most;
      std::vector<Rank> fronts;
      for (std::size_t part = 0; part < parts; ++part) {
        const auto begin = group.begin() + static_cast<std::ptrdiff_t>(group.size() * part / parts);
        const auto end = group.begin() + static_cast<std::ptrdiff_t>(group.size() * (part + 1) / parts);
        below.groups.emplace_back(begin, end);
        fronts.push_back(*begin);
      }
      group = std::move(fronts);
    }
    narrow.tiers_.insert(narrow.tiers_.begin() + static_cast<std::ptrdiff_t>(t), std::move(below));
  }
  return narrow;
}

void Hierarchy::put_in_order() {
  order_ = all_ranks(static_cast<int>(node_.size()));
  order_ = parts(tiers_.size()).front();
  std::vector<std::size_t> position(order_.size());
  for (std::size_t at = 0; at < order_.size(); ++at)
    position[static_cast<std::size_t>(order_[at].value)] = at;
  const auto position_of = [&](const std::vector<Rank>& group) {
    return position[static_cast<std::size_t>(group.front().value)];
  };
  for (Tier& tier : tiers_)
    std::sort(tier.groups.begin(), tier.groups.end(),
              [&](const auto& a, const auto& b) { return position_of(a) < position_of(b); });
}

int Hierarchy::memory_tiers() const {
  return static_cast<int>(std::count_if(tiers_.begin(), tiers_.end(),
                                        [](const Tier& tier) { return tier.joined == Joined::kMemory; }));
}

Rank Hierarchy::representative(const std::vector<Rank>& group) const {
  return std::find(group.begin(), group.end(), leader_) != group.end() ? leader_ : group.front();
}

Hierarchy Hierarchy::led_by(Rank leader) const {
  assert(leader_ == Rank(0) && "representatives are moved from where they were made");
  Hierarchy led = *this;
  led.leader_ = leader;
  Rank before = leader, now = leader;  // who stood for the leader's part, and who does
  for (std::size_t t = 0; t < tiers_.size(); ++t)
    for (std::size_t g = 0; g < tiers_[t].groups.size(); ++g) {
      auto& group = led.tiers_[t].groups[g];
      const auto at = std::find(group.begin(), group.end(), before);
      if (at == group.end()) continue;
      *at = now;
      before = representative(tiers_[t].groups[g]);
      break;
    }
  return led;
}

std::vector<Hierarchy::Seat> Hierarchy::seats(Rank rank) const {
  std::vector<Seat> seats;
  for (const Tier& tier : tiers_) {
    for (const auto& group : tier.groups) {
      const auto at = std::find(group.begin(), group.end(), rank);
      if (at == group.end()) continue;
      const auto first = std::find(group.begin(), group.end(), representative(group));
      seats.push_back({group, static_cast<int>(at - group.begin()), static_cast<int>(first - group.begin())});
      break;
    }
    if (!seats.back().represents()) break;
  }
  return seats;
}

std::vector<std::vector<Rank>> Hierarchy::parts(std::size_t tier) const {
  Parts parts, stands_for(order_.size());  // by member
  for (const Rank rank : order_) {
    parts.push_back({rank});
    stands_for[static_cast<std::size_t>(rank.value)] = {rank};
  }
  for (std::size_t t = 0; t < tier; ++t) {
    parts.clear();
    for (const auto& group : tiers_[t].groups) {
      auto& part = parts.emplace_back();
      for (const Rank member : group)
        for (const Rank rank : stands_for[static_cast<std::size_t>(member.value)]) part.push_back(rank);
      stands_for[static_cast<std::size_t>(representative(group).value)] = part;
    }
  }
  return parts;
}

std::vector<Rank> Hierarchy::node_of(Rank rank) const {
  std::vector<Rank> node;
  for (const Rank other : order_)
    if (node_[static_cast<std::size_t>(other.value)] == node_[static_cast<std::size_t>(rank.value)])
      node.push_back(other);
  return node;
}

std::vector<std::vector<Rank>> Hierarchy::nodes() const {
  Parts nodes;
  std::map<int, std::size_t> found;  // by number
  for (const Rank rank : order_) {
    const auto [at, is_new] = found.try_emplace(node_[static_cast<std::size_t>(rank.value)], nodes.size());
    if (is_new) nodes.emplace_back();
    nodes[at->second].push_back(rank);
  }
  return nodes;
}

bool Hierarchy::keeps_rank_order() const { return std::is_sorted(order_.begin(), order_.end()); }

namespace {

constexpr std::size_t kWidestDrawing = 100;

// The members of all groups in their columns, those of one group connected: "0─1─2 3─4".
std::string draw(const Parts& groups, const std::vector<std::size_t>& column_of_rank) {
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
std::string count(const Parts& groups) {
  const auto [least, most] = std::minmax_element(
      groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return fmt::format("{} group{} of {}", groups.size(), groups.size() == 1 ? "" : "s",
                     least->size() == most->size() ? fmt::format("{}", most->size())
                                                   : fmt::format("{} to {}", least->size(), most->size()));
}

}  // namespace

std::string Hierarchy::text() const {
  std::vector<std::size_t> columns(order_.size());
  std::size_t width = 0;
  for (const Rank rank : order_) {
    columns[static_cast<std::size_t>(rank.value)] = width;
    width += std::to_string(rank.value).size() + 1;
  }
  std::string text;
  for (auto tier = tiers_.rbegin(); tier != tiers_.rend(); ++tier)
    text += fmt::format("{:<9}{:<10}{}\n", name_of(tier->level), name_of(tier->joined),
                        width <= kWidestDrawing ? draw(tier->groups, columns) : count(tier->groups));
  return text;
}

}  // namespace weft
