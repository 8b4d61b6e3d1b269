// SPDX-License-Identifier: BSD-3-Clause
// Meetings: what keeps Weft moving on a host that cannot move it by itself, while ranks are inside
// collectives and constructors that Weft leaves to the host.
#pragma once

#include <mpi.h>

namespace weft::mpi {

// True where a blocking collective of the host on this communicator must be started and then driven, because
// the host cannot move Weft by itself. The same on all members, since blocking and non-blocking forms do not
// match one another.
bool must_drive(MPI_Comm comm);
// The same for MPI_Bcast, of which MPICH 4.0's non-blocking form fails on inter-communicators whose groups
// differ in size.
bool must_drive_bcast(MPI_Comm comm);

// Before a constructor of communicators, on a host that moves nothing of Weft inside it: waits here until all
// members have come, moving the operations under way. An MPI error code.
int meet(MPI_Comm comm);
// As meet(), before MPI_Intercomm_create, whose arguments these are: waits for the members of both groups.
int meet_across(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag);

}  // namespace weft::mpi
