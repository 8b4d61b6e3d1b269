// SPDX-License-Identifier: BSD-3-Clause
// Requests: a flight behind an MPI request that any Wait or Test completes, at MPI or PMPI level, in any
// language (drop_in rule 2): a generalised request, which on MPICH also knows how to move Weft by itself.
#pragma once

#include <atomic>
#include <mpi.h>

namespace weft::mpi {

struct Flight;

using PollFunction = int(void* state, MPI_Status*);
using WaitFunction = int(int count, void** states, double timeout, MPI_Status*);
struct RequestFunctions {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  PollFunction* poll;  // moves it, on a host without a hook
  WaitFunction* wait;
};
// A request that any Wait or Test completes, and moves where the host needs that; an MPI error code.
int start_request_of(const RequestFunctions& functions, void* state, MPI_Request* request);
// The status of a collective says nothing.
void set_empty(MPI_Status* status);

// Gives the flight a request before it is launched; an MPI error code.
int attach_request(Flight& flight);
// At the end of the operation. The caller holds the engine's lock.
void complete_request(const Flight& flight);

// With WEFT_CHECK=1: says that a collective cannot be cancelled.
void report_cancel();

// How many requests of non-blocking operations there are, counted with WEFT_CHECK=1.
inline std::atomic<int> open_requests{0};

}  // namespace weft::mpi
