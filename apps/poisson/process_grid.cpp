// SPDX-License-Identifier: BSD-3-Clause
#include "process_grid.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "verdict.hpp"

namespace poisson {

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

}  // namespace poisson
