// SPDX-License-Identifier: BSD-3-Clause
// Requests: a flight behind an MPI request that any Wait or Test completes, at MPI or PMPI level, in any
// language (drop_in rule 2): a generalised request, which on MPICH also knows how to move Weft by itself.
#pragma once

#include <mpi.h>

#include "mpi/flight.hpp"

namespace weft::mpi {

// Gives the flight a request before it is launched; an MPI error code.
int attach_request(Flight& flight);

}  // namespace weft::mpi
