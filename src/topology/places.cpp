// SPDX-License-Identifier: BSD-3-Clause
#include "topology/places.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace weft {
namespace {

// The levels above the leaves that all places have, from far to near.
std::vector<Level> common_levels(std::span<const MachinePlace> places) {
  std::vector<Level> levels;
  for (const Level level : kLevels)
    if (level != Level::kCore && std::all_of(places.begin(), places.end(), [&](const MachinePlace& place) {
          return at(place, level) != kNowhere;
        }))
      levels.push_back(level);
  const auto things = [&](Level level) {
    std::set<std::array<int, 2>> numbers;
    for (const MachinePlace& place : places) numbers.insert({at(place, Level::kNode), at(place, level)});
    return numbers.size();
  };
  if (things(Level::kL3) < things(Level::kNuma)) std::erase(levels, Level::kL3);
  return levels;
}

}  // namespace

Seating seating_of(std::span<const MachinePlace> places) {
  const std::vector<Level> levels = common_levels(places);
  const auto path = [&](int who, std::size_t length) {
    std::vector<int> numbers;
    for (std::size_t l = 0; l < length; ++l)
      numbers.push_back(at(places[static_cast<std::size_t>(who)], levels[l]));
    return numbers;
  };
  const auto whole_path = [&](int who) {
    std::vector<int> numbers = path(who, levels.size());
    numbers.push_back(at(places[static_cast<std::size_t>(who)], Level::kCore));
    return numbers;
  };
  std::vector<int> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return whole_path(a) < whole_path(b); });

  std::vector<Topology::Layer> layers;
  const int count = static_cast<int>(places.size());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    Topology::Layer layer{levels[l], {}};
    for (int leaf = 0; leaf < count; ++leaf)
      if (leaf == 0 || path(order[static_cast<std::size_t>(leaf)], l + 1) !=
                           path(order[static_cast<std::size_t>(leaf) - 1], l + 1))
        layer.begin.push_back(leaf);
    layer.begin.push_back(count);
    layers.push_back(std::move(layer));
  }
  Topology::Layer leaves{Level::kCore, std::vector<int>(places.size() + 1)};
  std::iota(leaves.begin.begin(), leaves.begin.end(), 0);
  layers.push_back(std::move(leaves));

  Seating seating{Topology(std::move(layers)), std::vector<int>(places.size())};
  for (int leaf = 0; leaf < count; ++leaf)
    seating.leaves[static_cast<std::size_t>(order[static_cast<std::size_t>(leaf)])] = leaf;
  return seating;
}

}  // namespace weft
