// SPDX-License-Identifier: BSD-3-Clause
// Neighbours of this process on a communicator with a topology.
#pragma once

#include <memory>
#include <mpi.h>

#include "collective/parcels.hpp"

namespace weft::mpi {

// Null if the communicator has no topology. Local.
std::unique_ptr<const Neighbors> neighbors_on(MPI_Comm comm);

// How many blocks one side of a neighbour collective has, with those of nobody (MPI_PROC_NULL).
int neighbor_blocks(MPI_Comm comm, bool sends);

}  // namespace weft::mpi
