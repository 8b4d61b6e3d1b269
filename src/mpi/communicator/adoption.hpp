// SPDX-License-Identifier: BSD-3-Clause
// Adoption: how a new communicator becomes one that Weft serves.
#pragma once

#include <memory>
#include <mpi.h>
#include <vector>

#include "mpi/communicator/hints.hpp"
#include "mpi/communicator/told.hpp"

namespace weft::mpi {

class Introductions;

// After a constructor: the members agree whether Weft serves the new communicator, and on the hints that the
// info gives for it. Collective over it. MPI_Init's own have no parent.
void adopt(MPI_Comm comm, MPI_Comm parent, MPI_Info info = MPI_INFO_NULL);

// Takes a communicator into service, whose members have told one another; not if Weft on some member cannot.
// The caller holds the engine's lock.
void serve_introduced(MPI_Comm comm, std::vector<int> world_ranks, const Introduction& mine, Told told,
                      const Hints& hints);
void serve_alone(MPI_Comm comm, std::vector<int> world_ranks, const Hints& hints);

// For a duplicate that MPI_Comm_idup is still making: its introductions, of which nothing is told yet. Null
// where the members have nothing to tell: one rank, or an inter-communicator.
std::unique_ptr<Introductions> introductions_for(MPI_Comm parent, const Hints& hints);
// Takes a duplicate into service, when it is made and its members have told one another. The caller holds the
// engine's lock.
void adopt_duplicate(MPI_Comm comm, const Hints& hints, const Introductions* introductions);

}  // namespace weft::mpi
