// SPDX-License-Identifier: BSD-3-Clause
// A communicator of this process alone: persistent operations end by messages on it, and the host can be
// asked there what it makes of a call without anybody else in it. Its errors are codes.
#pragma once

#include <mpi.h>

namespace weft::mpi {

// Made when it is first needed, in MPI_Init; without the attributes of MPI_COMM_SELF, whose callbacks may
// call MPI.
MPI_Comm alone();
// Frees that communicator, when Weft ends.
void forget_alone();

}  // namespace weft::mpi
