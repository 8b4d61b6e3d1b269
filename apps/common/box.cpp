// SPDX-License-Identifier: BSD-3-Clause
#include "box.hpp"

#include <algorithm>

namespace app {

namespace {

Stretch stretch_of(int whole, int processes, int which) {
  const int share = whole / processes;
  const int longer = whole % processes;  // so many processes have one point more
  return {whole, which * share + std::min(which, longer), share + (which < longer ? 1 : 0)};
}

}  // namespace

ProcessGrid::ProcessGrid(const std::array<int, 3>& points, const std::array<int, 3>& processes,
                         MPI_Comm communicator) {
  const std::array<int, 3> no_wrap{0, 0, 0};
  MPI_Cart_create(communicator, 3, processes.data(), no_wrap.data(), 0, &cartesian_);
  int rank = 0;
  MPI_Comm_rank(cartesian_, &rank);
  std::array<int, 3> place{};
  MPI_Cart_coords(cartesian_, rank, 3, place.data());
  for (int d = 0; d < 3; ++d) box_[d] = stretch_of(points[d], processes[d], place[d]);
}

}  // namespace app
