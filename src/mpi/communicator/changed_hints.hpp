// SPDX-License-Identifier: BSD-3-Clause
// Changed hints: those that a program gives for a communicator that is in use.
#pragma once

#include <mpi.h>

namespace weft::mpi {

// After MPI_Comm_set_info, and collective like it: the hints hold from now on, if all members give the same.
void take_hints(MPI_Comm comm, MPI_Info info);

}  // namespace weft::mpi
