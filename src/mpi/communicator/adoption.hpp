// SPDX-License-Identifier: BSD-3-Clause
// Adoption: how a new communicator becomes one that Weft serves.
#pragma once

#include <memory>
#include <mpi.h>

#include "mpi/communicator/hints.hpp"

namespace weft::mpi {

class Introductions;
struct Arguments;

// After a constructor: the members agree whether Weft serves the new communicator, and on the hints that the
// info gives for it. Collective over it. MPI_Init's own have no parent.
void adopt(MPI_Comm comm, MPI_Comm parent, MPI_Info info = MPI_INFO_NULL);
// The same, collective over the parent; `comm` is MPI_COMM_NULL where this process is no member. Members that
// are all on one node tell one another through its memory, by an allgather that `run` runs on the parent.
void adopt_child(MPI_Comm comm, MPI_Comm parent, MPI_Info info,
                 bool (*run)(const Arguments& allgather, int* code));

// For a duplicate that MPI_Comm_idup is still making: its introductions, of which nothing is told yet. Null
// where the members have nothing to tell: one rank, or an inter-communicator.
std::unique_ptr<Introductions> introductions_for(MPI_Comm parent, const Hints& hints);
// Takes a duplicate into service, when it is made and its members have told one another. The caller holds the
// engine's lock.
void adopt_duplicate(MPI_Comm comm, const Hints& hints, const Introductions* introductions);

// After MPI_Comm_set_info, and collective like it: the hints hold from now on, if all members give the same.
void take_hints(MPI_Comm comm, MPI_Info info);

}  // namespace weft::mpi
