// SPDX-License-Identifier: BSD-3-Clause
// The request of a persistent operation, which stays from its making to MPI_Request_free. It is made of what
// MPI has: a receive from this very process, on a communicator of its own, which the end of the operation
// sends to, or which MPI_Wait takes back.
#pragma once

#include <atomic>
#include <mpi.h>

namespace weft::mpi {

struct Flight;

inline std::atomic<int> persistent_requests{0};  // how many of them there are
inline bool any_persistent() { return persistent_requests.load(std::memory_order_relaxed) > 0; }

// Gives a persistent operation its request, for all its starts, and keeps the flight until the request is
// freed. An MPI error code.
int attach_persistent_request(Flight& flight);
// At the end of the operation: completes the request by a message to its receive, unless MPI_Wait is about to
// take that back. The caller holds the engine's lock, here and for the next two.
void complete_persistent_request(const Flight& flight);
// Null if the request is not of a persistent operation of Weft's.
Flight* persistent_flight(MPI_Request request);
// The program has freed the request.
void forget_persistent_request(Flight& flight);

// Asked at the end of calls that complete requests: the error of a persistent operation of Weft's whose
// handler is MPI_ERRORS_RETURN (decision 5). Its own request always ends well, since Open MPI frees one that
// does not. For a list of requests it is MPI_ERR_IN_STATUS, as MPI has it, or without statuses the first
// error.
inline std::atomic<bool> any_persistent_failed{false};  // ever
int error_of_completed(MPI_Request request);
int errors_of_completed(int count, const MPI_Request* requests, MPI_Status* statuses,
                        const int* indices = nullptr);

// With WEFT_CHECK=1: how many persistent operations the program has started and not completed.
int open_persistent_requests();
// Forgets all of them, when Weft ends.
void forget_persistent_requests();

}  // namespace weft::mpi
