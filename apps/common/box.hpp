// SPDX-License-Identifier: BSD-3-Clause
// Boxes: how the points of a grid are dealt out to a grid of processes.
//
// Along each direction the points are dealt out as evenly as they go; the first processes get one more where
// the number of points is no multiple of that of processes. Directions are x, y, z.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>

namespace app {

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

/// A Cartesian communicator without wrap-around, and this rank's box in it. Neither copied nor moved.
class ProcessGrid {
 public:
  ProcessGrid(const std::array<int, 3>& points, const std::array<int, 3>& processes, MPI_Comm communicator);
  ~ProcessGrid() { MPI_Comm_free(&cartesian_); }
  ProcessGrid(const ProcessGrid&) = delete;
  ProcessGrid& operator=(const ProcessGrid&) = delete;

  MPI_Comm communicator() const { return cartesian_; }
  const Box& box() const { return box_; }

 private:
  MPI_Comm cartesian_ = MPI_COMM_NULL;
  Box box_;
};

}  // namespace app
