// SPDX-License-Identifier: BSD-3-Clause
// The process grid: a Cartesian communicator, and for each of its ranks the box of the points that it
// computes.
//
// Along each direction the points are dealt out as evenly as they go; the first processes get one more where
// the number of points is no multiple of that of processes. No box is thinner than the ghost layers, so that
// ghosts come from the next neighbour alone. x lies contiguous in memory, so by default it is divided last.
#pragma once

#include <mpi.h>

#include "grid.hpp"

namespace wave {

Stretch stretch_of(int whole, int processes, int which);

/// The process grid to use; zeros in `wanted` leave that direction to MPI_Dims_create. Throws BadInput where
/// it has not as many places as there are ranks.
Triple choose_process_grid(Triple wanted, int rank_count);

/// Throws BadInput where a box would be thinner than its ghosts.
void require_thick_boxes(const Triple& points, const Triple& processes);

/// A Cartesian communicator without wrap-around, and this rank's box in it. Neither copied nor moved.
class ProcessGrid {
 public:
  ProcessGrid(const Triple& points, const Triple& processes, MPI_Comm communicator);
  ~ProcessGrid() { MPI_Comm_free(&cartesian_); }
  ProcessGrid(const ProcessGrid&) = delete;
  ProcessGrid& operator=(const ProcessGrid&) = delete;

  MPI_Comm communicator() const { return cartesian_; }
  const Box& box() const { return box_; }

 private:
  MPI_Comm cartesian_ = MPI_COMM_NULL;
  Box box_;
};

}  // namespace wave
