// SPDX-License-Identifier: BSD-3-Clause
// Waiting for requests of the host while moving Weft, where the host cannot do that itself.
#pragma once

#include <mpi.h>

namespace weft::mpi {

// Waits for a host request while moving Weft; the collective's or message's own error code.
int finish(MPI_Request* request, MPI_Status* status);
// MPI_Waitall, while moving Weft.
int finish_all(int count, MPI_Request* requests, MPI_Status* statuses);

}  // namespace weft::mpi
