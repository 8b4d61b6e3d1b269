// SPDX-License-Identifier: BSD-3-Clause
// The process grid: how many processes there are along each direction. No box is thinner than the ghost
// layers, so that ghosts come from the next neighbour alone. x lies contiguous in memory, and what is
// computed first of a box that has neighbours along x, in order to be sent, is pieces of rows: so by default
// x is divided only where boxes would be thin otherwise.
#pragma once

#include <functional>

#include "grid.hpp"

namespace wave {

/// The process grid to use; zeros in `wanted` leave that direction free. Throws BadInput where it has not as
/// many places as there are ranks. `points_of`: how many points the grid has with such processes.
Triple choose_process_grid(const Triple& wanted, int rank_count,
                           const std::function<Triple(const Triple&)>& points_of);

/// Throws BadInput where a box would be thinner than its ghosts.
void require_thick_boxes(const Triple& points, const Triple& processes);

using app::ProcessGrid;

}  // namespace wave
