// SPDX-License-Identifier: BSD-3-Clause
// Node memory: which ranks of this world share memory with this one, and what of it a communicator gets.
//
// The ranks of a node agree in MPI_Init on one segment; each has a part of it as its arena. A communicator's
// memory comes from the arena of its first rank on the node, inside its constructor: that rank writes where
// it lies into a table of its own, under the communicator's number and birth, and the others wait for it
// there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "node/pool.hpp"
#include "node/port.hpp"
#include "topology/hierarchy.hpp"

namespace weft::mpi {

// Collective over the world, in MPI_Init; after it, ranks know who is on which node.
void find_node();
void forget_node();

// What one communicator has on this node: an area for its blocking operations and one for the others, each
// with its own sequence (decision 0002).
class NodeShare {
 public:
  NodeShare(const node::Grant& grant, const std::array<node::Area, 2>& areas, int self)
      : ports_{node::Port(areas[0], self, grant.first_block), node::Port(areas[1], self, grant.first_block)},
        grant_(grant),
        self_(self) {}

  node::Port& port(bool is_blocking) { return ports_[is_blocking ? 0 : 1]; }
  // Of either area.
  const node::AreaShape& shape() const { return grant_.shape; }

  // This rank will not touch the memory again. `went_well`: all operations did, so that nothing half done is
  // left there. The caller holds the engine's lock.
  void leave(bool went_well);

 private:
  std::array<node::Port, 2> ports_;
  node::Grant grant_;
  int self_;  // among the members here, of which the first took the memory
};

// For a communicator in its constructor, collective over its members on this node: memory for them, as far as
// there is any; null without. `birth` is a number that no other communicator of them has had.
std::unique_ptr<NodeShare> share_node(std::span<const int> world_ranks, int rank, int id,
                                      std::uint64_t birth);

// Whether everybody on this node knows by now where this communicator's memory lies: only then may its number
// be given to another, whose first rank here may be the same.
bool is_told_to_all(std::span<const int> world_ranks, int rank, int id);

// What this process's arena holds for communicators, as far as it has noticed that their members left.
Bytes shared_memory_taken();

// Whether all of these ranks of the world are on one node.
bool is_one_node(std::span<const int> world_ranks);

// Whether the ranks of this node can copy from and to each other's memory: tried in MPI_Init, the same on all
// of them.
bool reach_each_other();

// The hierarchy of this depth over these ranks of the world, on the machine that there is or that
// WEFT_TOPOLOGY pretends, without the levels on which some of them have no place; null if it joins nobody by
// memory. The same on all ranks.
std::unique_ptr<Hierarchy> hierarchy_over(std::span<const int> world_ranks, const std::string& depth);

}  // namespace weft::mpi
