// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_idup: the members of a duplicate introduce themselves while the host is still making it.
#pragma once

#include <mpi.h>

namespace weft::mpi {

// After MPI_Comm_idup: as adopt(), but without waiting. `request` becomes one that completes when both the
// host's duplicate and the introductions are done.
void adopt_later(MPI_Comm made, MPI_Comm parent, MPI_Info info, MPI_Request* request);

}  // namespace weft::mpi
