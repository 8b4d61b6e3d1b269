// SPDX-License-Identifier: BSD-3-Clause
// Node memory: what a communicator gets of the memory that the ranks of a node share (this_node.hpp).
//
// Each rank has a part of it as its arena. A communicator's memory comes from the arena of its first rank on
// the node, which tells the others where it lies when they tell one another everything else, in the
// constructor.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/communicator/introduction.hpp"
#include "mpi/communicator/told.hpp"
#include "node/pool.hpp"
#include "node/port.hpp"
#include "planner/placement.hpp"

namespace weft::node {
class Steps;
}

namespace weft::mpi {

// What one communicator has on this node: an area for its blocking operations and one for the non-blocking,
// each with its own sequence (decision 0002), and berths for the persistent ones.
class NodeShare {
 public:
  NodeShare(const node::Grant& grant, const std::array<node::Area, node::kAreas>& areas, int self)
      : ports_{node::Port(areas[0], self), node::Port(areas[1], self)},
        grant_(grant),
        self_(self),
        last_letter_(grant.behind) {}

  node::Letters letters() const;
  // The number of this rank's next letter, and of the others' that belong to the same construction.
  std::uint64_t next_letter() { return ++last_letter_; }
  node::Port& port(bool is_blocking) { return ports_[is_blocking ? 0 : 1]; }
  // The berth of a persistent operation with these steps; null if the machine has no memory left. All members
  // ask for the same berth, which no operation has had before, and none waits for another. The pages that this
  // rank will write are taken now, so that the first starts need not wait for them.
  std::unique_ptr<node::Port> berth(int which, const node::Steps& steps, const Schedule& schedule);

  // Takes from the system what this rank may be the first to write in blocking operations, before they come
  // (decision 19). Not where pages have to lie near who writes them, which is not known now.
  void take_pages() const;

  // Says that this rank begins no more operations but persistent ones, so that nobody waits for it in others.
  void tell_end();

  // Says that this rank will not touch the memory again. `went_well`: none of its operations and constructions
  // failed, so that none has left something half done there. `persistent_made`: so many of its operations
  // have had numbers.
  // The caller holds the engine's lock.
  void leave(bool went_well, int persistent_made);

 private:
  std::array<node::Port, node::kAreas> ports_;
  node::Grant grant_;
  int self_;  // among the members here, of which the first took the memory
  std::uint64_t last_letter_;
};

// The memory that a new communicator is to have on this node: its first member here takes it and tells the
// others, before anybody uses the communicator. The caller holds the engine's lock, for all three.
MemoryOffer offer_memory(std::span<const int> world_ranks, int rank);
// Where this rank is the first.
MemoryOffer offer_memory_for(int members_here, node::Pool::Choice choice = node::Pool::Choice::kAny);
void withdraw(const MemoryOffer& offer);

// By kind: up to which number persistent operations have a berth of this kind, or of a better one.
using BerthNumbers = std::array<int, node::kBerthKinds.size()>;

// What every member has on its node: as much as on the node that has least.
struct MemoryOfAll {
  SharedMemory memory;
  BerthNumbers berths{};
};
MemoryOfAll memory_of_all(std::span<const int> world_ranks, Told told);
// This rank's part of what was offered on its node; null if nothing was.
std::unique_ptr<NodeShare> share_node(std::span<const int> world_ranks, int rank, Told told);

// What this process's arena holds for communicators, as far as it has noticed that their members left.
Bytes shared_memory_taken();

// Those of these ranks of the world that are on this node: the members of the areas here, in their order.
std::vector<int> members_here(std::span<const int> world_ranks);

// As hierarchy_for(), for these ranks of the world, on the real machine or the one that WEFT_TOPOLOGY
// pretends. Levels on which some of them have no place are left out. The same on all ranks.
std::unique_ptr<Hierarchy> hierarchy_over(std::span<const int> world_ranks, const SharedSettings& settings);

}  // namespace weft::mpi
