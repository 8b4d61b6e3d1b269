// SPDX-License-Identifier: BSD-3-Clause
// This node: which ranks of the world share memory with this one, where they run, and that memory. Found
// once, in MPI_Init.
//
// Ranks of one home try to share a segment. Where all of them have mapped it they are a node; where one has
// not, each is a node of its own (drop_in rule 10). With WEFT_TOPOLOGY the ranks of one home are parted
// further, into the nodes that it pretends.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "node/pool.hpp"
#include "node/segment.hpp"
#include "topology/machine.hpp"
#include "topology/places.hpp"

namespace weft::mpi {

struct ThisNode {
  node::Segment segment;
  std::vector<int> node_of;          // per rank of the world: the lowest rank on its node
  std::vector<MachinePlace> places;  // per rank of the world: where on its node, as far as known here
  bool knows_places = false;         // those of all, which WEFT_HIERARCHY asks for
  std::vector<int> ranks;            // of the world, on this node
  NodeSettings divided_by;           // the settings by which its memory is divided
  std::optional<node::Pool> pool;
  std::map<int, std::vector<node::AreaShape>> wanted;  // by communicators with so many members here
  CpuSet cpus;                                         // where this process might run in MPI_Init
  CpuSet cpus_of_agent;                                // where it takes time from no other rank
  bool single_copy = false;                            // all ranks here can reach into each other's memory
  bool kernel_is_faster = false;                       // at copying long messages
  bool world_shares_cores = false;  // one machine runs all ranks of the world, which outnumber its processors
  std::optional<Topology> pretended;

  bool exists() const { return pool.has_value(); }
  node::ArenaPlace arena_of(int world_rank) const {
    const auto which = std::lower_bound(ranks.begin(), ranks.end(), world_rank) - ranks.begin();
    return node::arena_place(divided_by, static_cast<int>(ranks.size()), static_cast<int>(which));
  }
};

ThisNode& this_node();
// Where this rank is on its node. Asks hwloc, which takes milliseconds, the first time. The caller holds the
// engine's lock.
MachinePlace place_of_this_rank();
// Whether all of these ranks of the world are on one node.
bool is_one_node(std::span<const int> world_ranks);

// Collective over the world.
void find_node();
void forget_node();

}  // namespace weft::mpi
