// SPDX-License-Identifier: BSD-3-Clause
// The agent of this process, where its node has the device: made in MPI_Init, with a connection to each of
// its partners.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/types.hpp"
#include "observe/counters.hpp"

namespace weft {
class OverWire;
namespace device {
class Agent;
struct AgentCores;
class Trigger;
}  // namespace device
}  // namespace weft

namespace weft::mpi {

// Collective over the world, in MPI_Init, with the cores that agents are to run on, and the number of each
// rank's node: if rank 0's settings ask for agents, the processes of those nodes have one that can all be
// connected; and the log says which cannot, and why.
void begin_agent(const device::AgentCores& cores, std::span<const int> node_of);
void end_agent();
// Null without one.
device::Agent* agent();
// Whether that rank of the world has one. All ranks know the same.
bool has_agent(int world_rank);
// The thread that begins task lists; null where their ends do (WEFT_LIST_TRIGGER).
device::Trigger* trigger();
// What both have done, until they ended.
AgentCounts agent_counts();
// Whether the agents of each node can be woken by all ranks there; the same everywhere. And this one's, by
// its rank in the world, on this node.
bool agents_have_bells();
void ring_agent_of(int world_rank);
// From so many bytes on that a rank has to copy in a node's memory, that is the agent's.
Bytes agent_copies_from();
// The wire for one communicator (see OverWire).
std::shared_ptr<OverWire> wire_for(std::uint64_t communicator, std::span<const int> world_ranks);
// Why that rank of the world is lost, as far as this process knows; and " on HOST", if that is known.
std::string trouble_with(int world_rank);
std::string host_of(int world_rank);

}  // namespace weft::mpi
