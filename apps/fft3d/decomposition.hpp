// SPDX-License-Identifier: BSD-3-Clause
// Decomposition: who has which block of the grid, in each of the three shapes that a transform goes through.
//
// The ranks are a grid of rows and columns, consecutive ranks in one row, so that a row lies inside a node
// where nodes have enough ranks, and a column crosses nodes.
//
//   shape       whole  split over a row's members  split over a column's members  memory, last one fastest
//   x pencils   x      y                           z                              [z][y][x]    the field
//   y pencils   y      x                           z                              [z][x][y]
//   z pencils   z      x                           y                              [x][y][z]    the spectrum
//
// So x and y are exchanged within rows, y and z within columns, and every 1-D transform reads contiguous
// numbers. Where a length is no multiple of the members, the first ones have one more. A real field of nx
// has nx / 2 + 1 coefficients in x.
//
// Source: P3DFFT, as in its co-design with an MPI library for InfiniBand, section III.B.2.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>
#include <string>
#include <vector>

namespace fft3d {

/// A stretch of one axis.
struct Range {
  int begin = 0;
  int count = 0;
  int end() const { return begin + count; }
};

/// Member `part` of `parts` has this of `length`.
Range part_of(int length, int parts, int part);

/// A box of the grid, axes x, y, z, and how far its neighbours along each axis are in memory.
struct Block {
  std::array<Range, 3> ranges;
  std::array<std::size_t, 3> strides;

  std::size_t size() const { return std::size_t{1} * ranges[0].count * ranges[1].count * ranges[2].count; }
};

/// `act(x, y, z, index)` for every point, in the order of memory as far as x or z is the fastest axis.
template <typename Act>
void for_each_point(const Block& block, const Act& act) {
  const auto& [x, y, z] = block.ranges;
  const auto& step = block.strides;
  const bool x_is_last = step[0] == 1;
  const Range outer = x_is_last ? z : x;
  const Range inner = x_is_last ? x : z;
  const std::size_t outer_step = x_is_last ? step[2] : step[0];
  const std::size_t inner_step = x_is_last ? step[0] : step[2];
  for (int i = 0; i < outer.count; ++i)
    for (int j = 0; j < y.count; ++j)
      for (int k = 0; k < inner.count; ++k) {
        const std::size_t index = i * outer_step + j * step[1] + k * inner_step;
        if (x_is_last) act(x.begin + k, y.begin + j, z.begin + i, index);
        else act(x.begin + i, y.begin + j, z.begin + k, index);
      }
}

struct Grid {
  std::array<int, 3> points{64, 64, 64};  ///< in x, y, z
  bool is_real = false;

  int spectrum_x() const { return is_real ? points[0] / 2 + 1 : points[0]; }
  double size() const { return 1.0 * points[0] * points[1] * points[2]; }
};

struct ProcessGrid {
  int rows = 0;
  int columns = 0;
};

/// Near-square, rows >= columns, so that ranks that are alone on their nodes form one column.
ProcessGrid near_square(int rank_count);

/// Why this grid cannot be spread over these processes; empty if it can.
std::string refusal(const Grid& grid, const ProcessGrid& processes, int rank_count);

class Decomposition {
 public:
  /// Collective; the arguments must be such that there is no refusal.
  Decomposition(const Grid& grid, const ProcessGrid& processes, MPI_Comm communicator);
  ~Decomposition();
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;

  const Grid& grid() const { return grid_; }
  const ProcessGrid& processes() const { return processes_; }
  MPI_Comm communicator() const { return communicator_; }
  MPI_Comm row() const { return row_; }        ///< exchanges x and y
  MPI_Comm column() const { return column_; }  ///< exchanges y and z

  Range x_of(int member) const { return part_of(grid_.spectrum_x(), processes_.columns, member); }
  Range y_in_row(int member) const { return part_of(grid_.points[1], processes_.columns, member); }
  Range y_in_column(int member) const { return part_of(grid_.points[1], processes_.rows, member); }
  Range z_of(int member) const { return part_of(grid_.points[2], processes_.rows, member); }
  Range x() const { return x_of(my_column_); }
  Range y_of_field() const { return y_in_row(my_column_); }
  Range y_of_spectrum() const { return y_in_column(my_row_); }
  Range z() const { return z_of(my_row_); }

  Block field() const;
  Block spectrum() const;

 private:
  Grid grid_;
  ProcessGrid processes_;
  MPI_Comm communicator_, row_, column_;
  int my_row_, my_column_;
};

}  // namespace fft3d
