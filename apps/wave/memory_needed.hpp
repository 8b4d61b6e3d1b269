// SPDX-License-Identifier: BSD-3-Clause
// Whether a problem fits into the nodes' memory, asked before anything is allocated.
#pragma once

#include <mpi.h>

#include "problem.hpp"

namespace wave {

/// Throws BadInput on all ranks where the fields of a node's ranks, together, need more than the node has, or
/// a box has more points than MPI counts. Collective.
void require_memory(const Options& options, const Box& box, MPI_Comm communicator);

}  // namespace wave
