// SPDX-License-Identifier: BSD-3-Clause
// The 27-point Laplacian on a box of grid points, one equal box per process.
//
// Every point is coupled with -1 to its up to 26 neighbours; the diagonal is 26 also at the boundary
// (Dirichlet), so the matrix is symmetric positive definite. As in hypre's generator, a flat box becomes the
// 9-point stencil (diagonal 8) and a line the 3-point stencil (diagonal 2). A process numbers its own points
// consecutively, x fastest.
#pragma once

#include <array>
#include <mpi.h>

#include "row_block.hpp"

namespace pcg {

/// The process grid: `wanted` if it fits the number of ranks (else BadInput), or for 0 0 0 that of
/// MPI_Dims_create.
std::array<int, 3> choose_process_grid(std::array<int, 3> wanted, int rank_count);

/// Throws BadInput on all ranks when a node has not the memory for the rows of its ranks. Collective.
void require_memory_for_laplacian(std::array<int, 3> local_grid, MPI_Comm communicator);

/// This rank's rows. Throws BadInput when the box is too large for hypre's integers.
RowBlock make_laplacian(std::array<int, 3> local_grid, std::array<int, 3> process_grid, int rank);

}  // namespace pcg
