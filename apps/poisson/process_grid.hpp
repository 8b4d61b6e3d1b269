// SPDX-License-Identifier: BSD-3-Clause
// The process grid: how many processes there are along each direction. x lies contiguous in memory, so by
// default it is the last one to be divided.
#pragma once

#include <array>

#include "box.hpp"

namespace poisson {

using app::Box;
using app::points_of;
using app::ProcessGrid;
using app::Stretch;

/// The process grid to use; throws BadInput where it has not as many places as there are ranks, or the grid
/// has fewer points than places in some direction. Zeros in `wanted` leave the choice to MPI_Dims_create.
std::array<int, 3> choose_process_grid(std::array<int, 3> wanted, std::array<int, 3> grid, int rank_count);

/// The whole grid of the 1-D problem, as one of three directions; throws BadInput where it is too large.
std::array<int, 3> line_of(int points_per_rank, int rank_count);

}  // namespace poisson
