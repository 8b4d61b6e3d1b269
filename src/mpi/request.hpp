// SPDX-License-Identifier: BSD-3-Clause
// Requests: a flight behind an MPI request that any Wait or Test completes, at MPI or PMPI level, in any
// language (drop_in rule 2): a generalised request, which on MPICH also knows how to move Weft by itself.
//
// Those end with the operation. A persistent operation has one that stays, made of what MPI has: a receive
// from this very process, on a communicator of its own, which the end of the operation sends to, or which
// MPI_Wait takes back.
#pragma once

#include <atomic>
#include <mpi.h>

#include "mpi/flight.hpp"

namespace weft::mpi {

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
// Gives a persistent operation its request, for all its starts, and keeps the flight until the request is
// freed. An MPI error code.
int attach_persistent_request(Flight& flight);

// With WEFT_CHECK=1: how many persistent operations the program has started and not completed.
int open_persistent_requests();
void report_cancel();
// Forgets all persistent requests, when Weft ends.
void forget_persistent_requests();

// How many requests of non-blocking operations there are, counted with WEFT_CHECK=1.
inline std::atomic<int> open_requests{0};

// Called at the end of the operation, these complete its request. The caller holds the engine's lock.
void complete_request(const Flight& flight);
void complete_persistent_request(const Flight& flight);

}  // namespace weft::mpi
