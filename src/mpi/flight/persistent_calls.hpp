// SPDX-License-Identifier: BSD-3-Clause
// MPI_Start, MPI_Startall, MPI_Cancel, MPI_Request_free and MPI_Wait, for Weft's persistent operations among
// all other requests.
#pragma once

#include <mpi.h>

#include "mpi/flight/persistent_request.hpp"

namespace weft::mpi {

int start_request(MPI_Request* request);
int start_requests(int count, MPI_Request* requests);
int cancel_request(MPI_Request* request);
int free_request(MPI_Request* request);

// At the beginning of MPI_Wait: waits for the operation, if it is a persistent one of Weft's, and makes the
// request inactive, which is sooner done than to complete it. The operation's error code.
int finish_persistent(MPI_Request* request);
inline int wait_for_persistent(MPI_Request* request) {
  return any_persistent() ? finish_persistent(request) : MPI_SUCCESS;
}

}  // namespace weft::mpi
