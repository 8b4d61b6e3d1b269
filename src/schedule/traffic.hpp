// SPDX-License-Identifier: BSD-3-Clause
// Traffic: how much of a collective crosses each level of a machine.
#pragma once

#include <span>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace weft {

struct Traffic {
  Level level;  // the nearest thing that sender and receiver share
  std::int64_t messages = 0;
  Bytes bytes;
};

// One entry per level of the topology and its root, from far to near, also where nothing travels. Requires as
// many ranks in the topology as schedules; messages to unknown peers are left out.
std::vector<Traffic> traffic(std::span<const Schedule> schedules, const Topology& topology);

}  // namespace weft
