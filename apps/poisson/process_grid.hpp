// SPDX-License-Identifier: BSD-3-Clause
// The process grid: a Cartesian communicator, and for each of its ranks the box of the points that it
// computes.
//
// Along each direction the points are dealt out as evenly as they go; the first processes get one more where
// the number of points is no multiple of that of processes. Directions are x, y, z; x lies contiguous in
// memory, so by default it is the last one to be divided.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>

namespace poisson {

/// One direction of a box: so many points from the first one on, counted from 0 in the whole grid.
struct Stretch {
  int whole = 1;  ///< points of the whole grid in this direction
  int first = 0;
  int count = 1;
};

using Box = std::array<Stretch, 3>;

inline std::size_t points_of(const Box& box) {
  return static_cast<std::size_t>(box[0].count) * box[1].count * box[2].count;
}

Stretch stretch_of(int whole, int processes, int which);

/// The process grid to use; throws BadInput where it has not as many places as there are ranks, or the grid
/// has fewer points than places in some direction. Zeros in `wanted` leave the choice to MPI_Dims_create.
std::array<int, 3> choose_process_grid(std::array<int, 3> wanted, std::array<int, 3> grid, int rank_count);

/// The whole grid of the 1-D problem, as one of three directions; throws BadInput where it is too large.
std::array<int, 3> line_of(int points_per_rank, int rank_count);

/// A Cartesian communicator without wrap-around, and this rank's box in it. Neither copied nor moved.
class ProcessGrid {
 public:
  ProcessGrid(std::array<int, 3> grid, std::array<int, 3> processes, MPI_Comm communicator);
  ~ProcessGrid() { MPI_Comm_free(&cartesian_); }
  ProcessGrid(const ProcessGrid&) = delete;
  ProcessGrid& operator=(const ProcessGrid&) = delete;

  MPI_Comm communicator() const { return cartesian_; }
  const Box& box() const { return box_; }

 private:
  MPI_Comm cartesian_ = MPI_COMM_NULL;
  Box box_;
};

}  // namespace poisson
