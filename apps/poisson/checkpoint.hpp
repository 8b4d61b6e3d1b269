// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: x of all ranks in one file, to go on from later, on any number of ranks.
//
// The file is an array of NumPy's format (NPY 1.0: a header of 128 bytes, then doubles): z, y, x from slow to
// fast, so numpy.load shows it. All ranks write and read their boxes of it by MPI-IO. It is written as
// FILE.part and renamed when it is complete. CG starts afresh from x (r = p = b - A x), which costs a few
// iterations more than to go on would.
#pragma once

#include <mpi.h>
#include <string>

#include "process_grid.hpp"
#include "vector.hpp"

namespace poisson {

/// Throws BadInput where the file cannot be written to its end. Collective.
void write_checkpoint(const std::string& file, const Box& box, const Vector& x, MPI_Comm communicator);

/// Throws BadInput where the file is missing, no such array, cut off, or that of another grid. Collective.
Vector read_checkpoint(const std::string& file, const Box& box, MPI_Comm communicator);

}  // namespace poisson
