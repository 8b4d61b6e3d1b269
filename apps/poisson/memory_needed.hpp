// SPDX-License-Identifier: BSD-3-Clause
// Whether a problem fits into the nodes' memory, asked before anything is allocated: an operating system that
// promises more than it has ends the program later, without a message.
#pragma once

#include <mpi.h>

namespace poisson {

/// Throws BadInput on all ranks where the vectors of a node's ranks, together, need more than the node has.
/// `points`: of this rank, a double since it may be beyond all integers. Collective.
void require_memory(double points, int vectors, MPI_Comm communicator);

}  // namespace poisson
