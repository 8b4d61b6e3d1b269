// SPDX-License-Identifier: BSD-3-Clause
// The process grid: how many processes there are along each direction. No box is thinner than the ghost
// layers, so that ghosts come from the next neighbour alone. x lies contiguous in memory, so by default it is
// divided last.
#pragma once

#include "grid.hpp"

namespace wave {

/// The process grid to use; zeros in `wanted` leave that direction to MPI_Dims_create. Throws BadInput where
/// it has not as many places as there are ranks.
Triple choose_process_grid(Triple wanted, int rank_count);

/// Throws BadInput where a box would be thinner than its ghosts.
void require_thick_boxes(const Triple& points, const Triple& processes);

using app::ProcessGrid;

}  // namespace wave
