// SPDX-License-Identifier: BSD-3-Clause
// Statistics: the counters of all ranks, summed, as JSON.
#pragma once

#include <mpi.h>
#include <span>
#include <string>

#include "observe/counters.hpp"

namespace weft::mpi {

// Collective over `comm`; rank 0 writes the file if it has a name:
// {"ranks": 4, "collectives": {"MPI_Iallreduce": {"weft": 200, "host": 0, "why": {}}, …},
//  "communicators": {"through shared memory": 3, …}}
void write_statistics(MPI_Comm comm, const std::string& file, std::span<CallCounter> counters);

}  // namespace weft::mpi
