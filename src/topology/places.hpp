// SPDX-License-Identifier: BSD-3-Clause
// Places: where processes, or cores, of real machines are, level by level; and the topology that they make.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "topology/topology.hpp"

namespace weft {

// Per level the number of the thing that something is in; kNowhere where it is in no single one. Numbers
// count within the node.
using MachinePlace = std::array<int, kLevels.size()>;
inline constexpr int kNowhere = -1;
constexpr MachinePlace no_place() {
  MachinePlace place{};
  place.fill(kNowhere);
  return place;
}
constexpr int& at(MachinePlace& place, Level level) { return place[static_cast<std::size_t>(level)]; }
constexpr int at(const MachinePlace& place, Level level) { return place[static_cast<std::size_t>(level)]; }

struct Seating {
  Topology topology;        // a leaf for each place
  std::vector<int> leaves;  // whose leaf is where
};

// Levels that some place lacks are left out. Written topologies keep one order of levels, so that of memory
// divided below a shared L3 the finer one stays.
Seating seating_of(std::span<const MachinePlace> places);

}  // namespace weft
