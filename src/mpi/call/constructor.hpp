// SPDX-License-Identifier: BSD-3-Clause
// Constructors of communicators in which all members of the parent take part: there the members of the new
// one may introduce themselves by way of the parent.
#pragma once

#include <mpi.h>

namespace weft::mpi {

// After the host's part: as adopt(), and through a node's memory where all members share one. `made` is
// MPI_COMM_NULL where this process is no member.
void adopt_from_all(MPI_Comm made, MPI_Comm parent, MPI_Info info = MPI_INFO_NULL);

// After MPI_Comm_idup: as adopt(), but without waiting. `request` becomes one that completes when both the
// host's duplicate and the introductions are done.
void adopt_later(MPI_Comm made, MPI_Comm parent, MPI_Info info, MPI_Request* request);

}  // namespace weft::mpi
