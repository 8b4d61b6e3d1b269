// SPDX-License-Identifier: BSD-3-Clause
// Refuses what a node's memory cannot hold, before the kernel ends the program without a word.
#pragma once

#include <mpi.h>

#include "options.hpp"

namespace fft3d {

/// Throws BadInput on all ranks where the ranks of a node together need more than it has. Collective.
void require_memory(const Options& options, MPI_Comm communicator);

}  // namespace fft3d
