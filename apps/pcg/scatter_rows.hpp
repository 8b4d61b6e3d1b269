// SPDX-License-Identifier: BSD-3-Clause
// Deals the rows of a matrix that rank 0 has read out to all ranks, in blocks of (almost) equal size.
#pragma once

#include <mpi.h>

#include "matrix_market.hpp"
#include "row_block.hpp"

namespace pcg {

/// `file` counts on rank 0 only. Collective; throws BadInput on all ranks when the matrix is too large for
/// hypre's integers or has fewer rows than there are ranks.
RowBlock scatter_rows(const MatrixFile& file, MPI_Comm communicator);

}  // namespace pcg
