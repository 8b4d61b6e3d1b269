// SPDX-License-Identifier: BSD-3-Clause
// The way of one collective call through the front door: communicator, shape, plan, flight.
#pragma once

#include <mpi.h>

#include "mpi/arguments/arguments.hpp"
#include "observe/counters.hpp"

namespace weft::mpi {

// Each of these three returns false if the call is the host's, and `counter` then knows why. `code` is what
// the wrapper returns.
bool run(CallCounter& counter, const Arguments& arguments, int* code);
bool start(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code);
// A persistent operation, counted when it is made. It comes to life by MPI_Start.
bool make_persistent(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code);

}  // namespace weft::mpi
