// SPDX-License-Identifier: BSD-3-Clause
// Placement: where the ranks of a communicator are, as far as all of them know it, and what they choose by.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/config.hpp"
#include "base/result.hpp"

namespace weft {

class Hierarchy;
class Topology;

struct Placement {
  bool one_node = false;          // all ranks share memory
  Bytes rank_bytes{0};            // of a node's memory, every rank's for one operation
  int in_flight = 4;              // fragments, see Parameters
  int larger_fragments = 1;       // by so many times than the threshold says
  bool single_copy = false;       // ranks on one node can copy from and to each other's buffers
  bool kernel_is_faster = false;  // than two copies through shared memory
  bool has_agents = false;        // which copy once while their ranks compute
  Bytes single_copy_from{0};      // from this size on; 0: never
  // How ranks that share memory with others are grouped; null if that says no more than one_node.
  const Hierarchy* hierarchy = nullptr;
  bool is_far = false;        // from node to node a message takes much longer than it takes to send one
  bool shares_cores = false;  // its nodes are one machine, whose cores the job's ranks outnumber
  bool crowded = false;       // it is on one node, whose cores the job's ranks outnumber
  Thresholds thresholds = {};
};

// How much of its nodes' memory a communicator has.
struct SharedMemory {
  bool exists = false;            // on all its nodes; without it every rank is by itself
  Bytes rank_bytes{0};            // of each rank for one operation; 0: lines only
  bool reachable = false;         // ranks on a node can copy from and to each other's buffers
  bool kernel_is_faster = false;  // as MPI_Init found: it copies long messages faster than two ranks
  bool crowded = false;  // the job's ranks on this node outnumber its cores, where those are not pretended

  bool operator==(const SharedMemory&) const = default;
};

// Refers to the hierarchy, which has to stay where it is. `shares_cores` means nothing on one node.
Placement placement_of(const SharedMemory& memory, bool on_one_node, const Hierarchy* hierarchy,
                       const SharedSettings& settings, bool shares_cores = false);

// That depth of a hierarchy where a device joins some nodes and not all: they are grouped by that as well, if
// ranks are grouped at all.
std::string with_device(const std::string& depth);

// Whether a hierarchy of this depth would say no more of ranks on one node than that they are there.
bool is_one_group(int ranks, std::string_view depth);

// The hierarchy by which ranks with memory on their nodes are planned for, who sit on these places (see
// Hierarchy::make); none if it has no groups, or only says that all are on one node.
Result<std::optional<Hierarchy>> hierarchy_for(const Topology& topology, std::string_view depth,
                                               bool on_one_node, std::span<const int> places = {});

}  // namespace weft
