// SPDX-License-Identifier: BSD-3-Clause
#include "process_grid.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "verdict.hpp"

namespace wave {
namespace {

/// Boxes at least so thick along y and z keep x whole.
constexpr int kThick = 32;

Triple divided(Triple wanted, int rank_count) {
  std::reverse(wanted.begin(), wanted.end());  // MPI puts the largest factor first, and here it goes to z
  MPI_Dims_create(rank_count, 3, wanted.data());
  std::reverse(wanted.begin(), wanted.end());
  return wanted;
}

}  // namespace

Triple choose_process_grid(const Triple& wanted, int rank_count,
                           const std::function<Triple(const Triple&)>& points_of) {
  double fixed = 1;
  for (const int places : wanted) fixed *= std::max(places, 1);
  const bool is_free = std::find(wanted.begin(), wanted.end(), 0) != wanted.end();
  const bool fits =
      is_free ? fixed <= rank_count && rank_count % static_cast<int>(fixed) == 0 : fixed == rank_count;
  if (!fits)
    throw app::BadInput(fmt::format(
        "process grid --grid {} {} {} does not go with {} rank{}: the product of its numbers must {} that of "
        "ranks",
        wanted[0], wanted[1], wanted[2], rank_count, rank_count == 1 ? "" : "s", is_free ? "divide" : "be"));
  if (wanted[0] == 0 && std::count(wanted.begin(), wanted.end(), 0) > 1) {
    const Triple along = divided({1, wanted[1], wanted[2]}, rank_count), points = points_of(along);
    if (points[1] / along[1] >= kThick && points[2] / along[2] >= kThick) return along;
  }
  return divided(wanted, rank_count);
}

void require_thick_boxes(const Triple& points, const Triple& processes) {
  for (int d = 0; d < 3; ++d)
    if (points[d] / processes[d] < kGhostLayers)
      throw app::BadInput(fmt::format(
          "grid -n {} {} {} has only {} point{} along {} for {} process{} of the process grid {} x {} x "
          "{}, and each needs {}, as many as there are ghosts: use a larger grid, fewer ranks or another "
          "--grid",
          points[0], points[1], points[2], points[d], points[d] == 1 ? "" : "s", "xyz"[d], processes[d],
          processes[d] == 1 ? "" : "es", processes[0], processes[1], processes[2], kGhostLayers));
}

}  // namespace wave
