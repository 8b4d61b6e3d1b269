// SPDX-License-Identifier: BSD-3-Clause
// Site: what the library would find if a program started somewhere: for explaining its schedules without MPI.
#pragma once

#include <optional>
#include <vector>

#include "planner/placement.hpp"
#include "topology/hierarchy.hpp"
#include "topology/topology.hpp"

namespace weft {

// The first communicator of all ranks there, which are taken to reach each other's memory on a node.
struct Site {
  SharedMemory memory;
  bool on_one_node = false;
  std::optional<Hierarchy> hierarchy;
  std::vector<int> device_of;  // by rank, where nodes are not all joined by one device; else empty

  // Refers to the hierarchy, which has to stay where it is.
  Placement placement(const SharedSettings& settings) const {
    return placement_of(memory, on_one_node, hierarchy ? &*hierarchy : nullptr, settings);
  }
};

// The placement of ranks that are grouped like this, or, without a hierarchy, share one node; it refers to
// the hierarchy.
Placement placement_over(const Hierarchy* hierarchy, int rank_count, const SharedSettings& settings);

// A site on `machine`, with all its ranks, by these settings; their topology is not asked. Fails as
// Hierarchy::make does.
Result<Site> site_on(const Topology& machine, const SharedSettings& settings);

// Where the settings say that the ranks are, else all of them on one node.
Result<Site> site_of(int rank_count, const SharedSettings& settings);

}  // namespace weft
