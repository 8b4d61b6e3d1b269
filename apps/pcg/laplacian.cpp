// SPDX-License-Identifier: BSD-3-Clause
#include "laplacian.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "memory.hpp"
#include "verdict.hpp"

namespace pcg {
namespace {

constexpr int kStencilPoints = 27;

/// The grid of all processes' boxes and where each of its points is numbered.
struct Grid {
  std::array<int, 3> local;  // points per process and direction
  std::array<int, 3> processes;

  bool contains(std::array<int, 3> point) const {
    for (int d = 0; d < 3; ++d)
      if (point[d] < 0 || point[d] >= local[d] * processes[d]) return false;
    return true;
  }

  HYPRE_BigInt row_of(std::array<int, 3> point) const {
    std::array<int, 3> box{};
    std::array<int, 3> inside{};
    for (int d = 0; d < 3; ++d) {
      box[d] = point[d] / local[d];
      inside[d] = point[d] % local[d];
    }
    const HYPRE_BigInt rank = box[0] + processes[0] * (box[1] + processes[1] * box[2]);
    const HYPRE_BigInt offset = inside[0] + static_cast<HYPRE_BigInt>(local[0]) *
                                                (inside[1] + static_cast<HYPRE_BigInt>(local[1]) * inside[2]);
    return rank * local[0] * local[1] * local[2] + offset;
  }

  double diagonal() const {
    double points = 1;
    for (int d = 0; d < 3; ++d)
      if (local[d] * processes[d] > 1) points *= 3;
    return points > 1 ? points - 1 : 2;
  }
};

void append_row(const Grid& grid, std::array<int, 3> point, RowBlock& block) {
  const std::size_t before = block.columns.size();
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const std::array<int, 3> neighbour{point[0] + dx, point[1] + dy, point[2] + dz};
        if (!grid.contains(neighbour)) continue;
        const bool self = neighbour == point;
        block.columns.push_back(grid.row_of(neighbour));
        block.values.push_back(self ? grid.diagonal() : -1.0);
      }
  block.row_sizes.push_back(static_cast<HYPRE_Int>(block.columns.size() - before));
}

/// Doubles are exact far beyond the limits they are compared with here, and do not overflow.
void require_size(std::array<int, 3> local, std::array<int, 3> processes) {
  const double local_rows = 1.0 * local[0] * local[1] * local[2];
  const double global_rows = local_rows * processes[0] * processes[1] * processes[2];
  const bool fits = local_rows * kStencilPoints <= std::numeric_limits<HYPRE_Int>::max() &&
                    global_rows <= std::numeric_limits<HYPRE_BigInt>::max();
  // Grid coordinates are ints.
  bool coordinates_fit = true;
  for (int d = 0; d < 3; ++d)
    coordinates_fit &= static_cast<std::int64_t>(local[d]) * processes[d] < std::numeric_limits<int>::max();
  if (!fits || !coordinates_fit)
    throw app::BadInput(fmt::format(
        "-n {} {} {} on {} x {} x {} processes is {:.3g} unknowns, {:.3g} per process: more than "
        "this hypre's integers can count; choose a smaller -n",
        local[0], local[1], local[2], processes[0], processes[1], processes[2], global_rows, local_rows));
}

}  // namespace

std::array<int, 3> choose_process_grid(std::array<int, 3> wanted, int rank_count) {
  if (wanted[0] == 0) {
    MPI_Dims_create(rank_count, 3, wanted.data());
    return wanted;
  }
  app::require_places(wanted, rank_count);
  return wanted;
}

void require_memory_for_laplacian(std::array<int, 3> local, MPI_Comm communicator) {
  constexpr int kCopies = 2;  // the rows as they are made, and hypre's
  const double rows = 1.0 * local[0] * local[1] * local[2];
  const double bytes = rows * kStencilPoints * kCopies * (sizeof(double) + sizeof(HYPRE_BigInt));
  app::require_memory(bytes, communicator, [local](app::NodeMemory node) {
    return fmt::format(
        "-n {} {} {} needs at least {:.4g} GB for the matrix on a node that has {:.4g} GB of memory: choose "
        "a "
        "smaller -n or use more nodes",
        local[0], local[1], local[2], node.needed, node.there);
  });
}

RowBlock make_laplacian(std::array<int, 3> local, std::array<int, 3> processes, int rank) {
  require_size(local, processes);
  const Grid grid{local, processes};
  const std::array<int, 3> origin{rank % processes[0] * local[0],
                                  rank / processes[0] % processes[1] * local[1],
                                  rank / (processes[0] * processes[1]) * local[2]};
  const HYPRE_BigInt rows = static_cast<HYPRE_BigInt>(local[0]) * local[1] * local[2];

  RowBlock block;
  block.global_rows = rows * processes[0] * processes[1] * processes[2];
  block.first_row = rows * rank;
  block.row_sizes.reserve(rows);
  block.columns.reserve(rows * kStencilPoints);
  block.values.reserve(rows * kStencilPoints);
  for (int z = 0; z < local[2]; ++z)
    for (int y = 0; y < local[1]; ++y)
      for (int x = 0; x < local[0]; ++x)
        append_row(grid, {origin[0] + x, origin[1] + y, origin[2] + z}, block);
  return block;
}

}  // namespace pcg
