// SPDX-License-Identifier: BSD-3-Clause
// Members of a communicator that have agents send one another messages over the wire: the device joins them,
// if they are on several nodes. A communicator with members of either kind is mixed. All ranks find the same.
#pragma once

#include <span>
#include <vector>

#include "topology/places.hpp"

namespace weft::mpi {

// Whether it joins some of these ranks of the world.
bool is_joined_by_device(std::span<const int> world_ranks);
// Those that it leaves out, by member; empty: there is none.
std::vector<char> members_without_device(std::span<const int> world_ranks);

// Where each member is on the level `device`: those that are joined in one place, each other node by itself.
// To be asked where some are joined.
void place_on_device(std::span<const int> world_ranks, std::span<MachinePlace> places);

}  // namespace weft::mpi
