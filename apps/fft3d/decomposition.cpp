// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace fft3d {

Range part_of(int length, int parts, int part) {
  const int least = length / parts;
  const int longer = length % parts;
  return {part * least + std::min(part, longer), least + (part < longer ? 1 : 0)};
}

ProcessGrid near_square(int rank_count) {
  int dimensions[2] = {0, 0};
  MPI_Dims_create(rank_count, 2, dimensions);
  return {dimensions[0], dimensions[1]};
}

std::string refusal(const Grid& grid, const ProcessGrid& processes, int rank_count) {
  const auto [rows, columns] = processes;
  const auto& n = grid.points;
  if (1LL * rows * columns != rank_count)
    return fmt::format(
        "-P {} {} has {} places, but the number of ranks is {}: choose -P so that ROWS x COLUMNS is {}", rows,
        columns, 1LL * rows * columns, rank_count, rank_count);
  if (grid.spectrum_x() < columns || n[1] < std::max(rows, columns) || n[2] < rows)
    return fmt::format(
        "the grid {} x {} x {} is smaller than the process grid of {} rows and {} columns, so that ranks "
        "would have no "
        "work: y needs {} points or more, z {}, x {}; choose a larger -n, another -P, or fewer ranks",
        n[0], n[1], n[2], rows, columns, std::max(rows, columns), rows,
        grid.is_real ? std::max(1, 2 * (columns - 1)) : columns);
  const double most = [&] {
    const auto share = [](int length, int parts) { return 1.0 * ((length + parts - 1) / parts); };
    const double x_pencils = 1.0 * n[0] * share(n[1], columns) * share(n[2], rows);
    const double y_pencils = share(grid.spectrum_x(), columns) * n[1] * share(n[2], rows);
    const double z_pencils = share(grid.spectrum_x(), columns) * share(n[1], rows) * n[2];
    return std::max({x_pencils, y_pencils, z_pencils});
  }();
  if (most > std::numeric_limits<int>::max())
    return fmt::format(
        "the grid {} x {} x {} gives a rank {:.3g} numbers, and MPI counts up to {}: choose a smaller -n or "
        "more ranks",
        n[0], n[1], n[2], most, std::numeric_limits<int>::max());
  return "";
}

Decomposition::Decomposition(const Grid& grid, const ProcessGrid& processes, MPI_Comm communicator)
    : grid_(grid), processes_(processes), communicator_(communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  my_row_ = rank / processes.columns;
  my_column_ = rank % processes.columns;
  MPI_Comm_split(communicator, my_row_, my_column_, &row_);
  MPI_Comm_split(communicator, my_column_, my_row_, &column_);
}

Decomposition::~Decomposition() {
  MPI_Comm_free(&row_);
  MPI_Comm_free(&column_);
}

Block Decomposition::field() const {
  const std::size_t nx = grid_.points[0];
  return {{Range{0, grid_.points[0]}, y_of_field(), z()}, {1, nx, nx * y_of_field().count}};
}

Block Decomposition::spectrum() const {
  const std::size_t nz = grid_.points[2];
  return {{x(), y_of_spectrum(), Range{0, grid_.points[2]}}, {nz * y_of_spectrum().count, nz, 1}};
}

}  // namespace fft3d
