// SPDX-License-Identifier: BSD-3-Clause
// Requests: a flight behind an MPI request that any Wait or Test completes, at MPI or PMPI level, in any
// language (drop_in rule 2): a generalised request, which on MPICH also knows how to move Weft by itself.
//
// Those end with the operation. A persistent operation has a lasting request, made of what MPI has: a receive
// from this very process, on a communicator of its own, which the end of the operation sends to, or which
// MPI_Wait takes back.
#pragma once

#include <atomic>
#include <mpi.h>

#include "mpi/flight.hpp"

namespace weft::mpi {

// Gives the flight a request before it is launched; an MPI error code.
int attach_request(Flight& flight);
// The same for all operations to come, and keeps the flight for them until the request is freed.
int attach_lasting_request(Flight& flight);

// With WEFT_CHECK=1: how many persistent operations the program has started and not completed.
int open_lasting_requests();
void report_cancel();
// When Weft ends.
void forget_lasting_requests();

// How many requests of non-blocking operations there are, counted with WEFT_CHECK=1.
inline std::atomic<int> open_requests{0};

// At the end of the operation. The caller holds the engine's lock, as for all of these.
void complete_request(const Flight& flight);
void complete_lasting_request(const Flight& flight);

}  // namespace weft::mpi
