// SPDX-License-Identifier: BSD-3-Clause
#include "process_grid.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "verdict.hpp"

namespace poisson {

Stretch stretch_of(int whole, int processes, int which) {
  const int share = whole / processes;
  const int longer = whole % processes;  // so many processes have one point more
  return {whole, which * share + std::min(which, longer), share + (which < longer ? 1 : 0)};
}

std::array<int, 3> choose_process_grid(std::array<int, 3> wanted, std::array<int, 3> grid, int rank_count) {
  if (wanted[0] == 0) {
    MPI_Dims_create(rank_count, 3, wanted.data());
    std::reverse(wanted.begin(), wanted.end());  // the largest factor along z
  }
  app::require_places(wanted, rank_count);
  for (int d = 0; d < 3; ++d)
    if (grid[d] < wanted[d])
      throw app::BadInput(
          fmt::format("grid -n {} {} {} has only {} point{} along {} for {} processes of the process grid "
                      "{} x {} x {}: use a larger grid, fewer ranks or another -P",
                      grid[0], grid[1], grid[2], grid[d], grid[d] == 1 ? "" : "s", "xyz"[d], wanted[d],
                      wanted[0], wanted[1], wanted[2]));
  return wanted;
}

std::array<int, 3> line_of(int points_per_rank, int rank_count) {
  const double whole = 1.0 * points_per_rank * rank_count;
  if (whole >= std::numeric_limits<int>::max())
    throw app::BadInput(
        fmt::format("--points {} on {} ranks is {:.4g} points, more than are counted here: use fewer",
                    points_per_rank, rank_count, whole));
  return {points_per_rank * rank_count, 1, 1};
}

ProcessGrid::ProcessGrid(std::array<int, 3> grid, std::array<int, 3> processes, MPI_Comm communicator) {
  const std::array<int, 3> no_wrap{0, 0, 0};
  MPI_Cart_create(communicator, 3, processes.data(), no_wrap.data(), 0, &cartesian_);
  int rank = 0;
  MPI_Comm_rank(cartesian_, &rank);
  std::array<int, 3> place{};
  MPI_Cart_coords(cartesian_, rank, 3, place.data());
  for (int d = 0; d < 3; ++d) box_[d] = stretch_of(grid[d], processes[d], place[d]);
}

}  // namespace poisson
