// SPDX-License-Identifier: BSD-3-Clause
// Site: what the library would find if a program started somewhere: for explaining its plans without MPI.
#pragma once

#include <optional>
#include <string>

#include "planner/planner.hpp"
#include "topology/topology.hpp"

namespace weft {

// The first communicator of all ranks there.
struct Site {
  bool one_node = false;
  Bytes slot_bytes{0};
  NodeSettings node;  // whose single copies are taken to work
  std::optional<Hierarchy> hierarchy;
  Thresholds thresholds;

  // Refers to the hierarchy, which has to stay where it is.
  Placement placement() const {
    return {.one_node = one_node,
            .slot_bytes = slot_bytes,
            .in_flight = node.in_flight,
            .single_copy = one_node,
            .single_copy_from = node.single_copy,
            .hierarchy = hierarchy ? &*hierarchy : nullptr,
            .thresholds = thresholds};
  }
};

// With the ranks of `machine`, by these settings, whose topology is not asked. Fails as Hierarchy::make does.
Result<Site> site_on(const Topology& machine, const SharedSettings& settings);

// Where the settings say that the ranks are, else all of them on one node.
Result<Site> site_of(int rank_count, const SharedSettings& settings);

// "hierarchical socket+node radix=2: …" and why.
std::string sentence(const Choice& choice);

}  // namespace weft
