// SPDX-License-Identifier: BSD-3-Clause
#include "faces.hpp"

#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "verdict.hpp"

namespace wave {
namespace {

/// Row by row: where it lies in the field, and how many numbers it has.
template <typename Work>
void each_piece(const Layout& layout, const Region& region, const Work& work) {
  const auto count = static_cast<std::size_t>(region.to[0] - region.from[0]);
  for (int z = region.from[2]; z < region.to[2]; ++z)
    for (int y = region.from[1]; y < region.to[1]; ++y) work(layout.at(region.from[0], y, z), count);
}

}  // namespace

FacePlan::FacePlan(const Box& box, int number_bytes, MPI_Comm cartesian) {
  for (int d = 0; d < 3; ++d) MPI_Cart_shift(cartesian, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]);
  app::together(cartesian, [&] {
    for (int group = 0; group < kGroupCount; ++group) {
      double all = 0;
      for (int side = 0; side < kSideCount; ++side) {
        if (neighbours[side] == MPI_PROC_NULL || sent_over(group, side) < 0) continue;
        const double points = 1.0 * static_cast<double>(points_of(box)) / box[side / 2].count * kGhostLayers;
        offset[group][side] = static_cast<int>(all);
        all += points * number_bytes;
        if (all > std::numeric_limits<int>::max())
          throw app::BadInput(fmt::format(
              "faces of {:.4g} bytes are more than MPI counts: use a smaller grid or more ranks", all));
        bytes[group][side] = static_cast<int>(points) * number_bytes;
      }
      buffer_bytes[group] = static_cast<int>(all);
    }
  });
}

Region face_region(const Layout& layout, int side, bool ghosts) {
  Region region{{0, 0, 0}, layout.count};
  const int direction = side / 2;
  const int count = layout.count[direction];
  int first = side % 2 == 0 ? 0 : count - kGhostLayers;
  if (ghosts) first += side % 2 == 0 ? -kGhostLayers : kGhostLayers;
  region.from[direction] = first;
  region.to[direction] = first + kGhostLayers;
  return region;
}

template <typename Real>
void pack(const Field<Real>& field, const Layout& layout, int side, std::byte* out) {
  each_piece(layout, face_region(layout, side, false), [&](std::ptrdiff_t at, std::size_t count) {
    std::memcpy(out, field.data() + at, count * sizeof(Real));
    out += count * sizeof(Real);
  });
}

template <typename Real>
void unpack(Field<Real>& field, const Layout& layout, int side, const std::byte* in) {
  each_piece(layout, face_region(layout, side, true), [&](std::ptrdiff_t at, std::size_t count) {
    std::memcpy(field.data() + at, in, count * sizeof(Real));
    in += count * sizeof(Real);
  });
}

template void pack(const Field<float>&, const Layout&, int, std::byte*);
template void pack(const Field<double>&, const Layout&, int, std::byte*);
template void unpack(Field<float>&, const Layout&, int, const std::byte*);
template void unpack(Field<double>&, const Layout&, int, const std::byte*);

}  // namespace wave
