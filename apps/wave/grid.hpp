// SPDX-License-Identifier: BSD-3-Clause
// How points are counted: the whole grid, a rank's box in it, and where a point of the box lies in memory.
//
// Directions are x, y, z; z is the depth, and x lies contiguous in memory. Around each box there are two
// layers of ghosts, since a derivative of fourth order reaches two points far to one side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "box.hpp"

namespace wave {

inline constexpr int kGhostLayers = 2;

using Triple = std::array<int, 3>;
using Position = std::array<double, 3>;  ///< metres from the point (0, 0, 0)

using app::Box;
using app::points_of;
using app::Stretch;

inline std::uint64_t global_index(const Box& box, int x, int y, int z) {
  const std::uint64_t plane = static_cast<std::uint64_t>(box[2].first + z) * box[1].whole;
  return (plane + box[1].first + y) * box[0].whole + box[0].first + x;
}

/// Part of a box: from `from` up to, without, `to`, in the box's own count, which begins with 0.
struct Region {
  Triple from{}, to{};
  bool empty() const { return from[0] >= to[0] || from[1] >= to[1] || from[2] >= to[2]; }
  std::size_t points() const {
    return empty() ? 0 : std::size_t(to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);
  }
};

inline Region whole_region(const Box& box) { return {{0, 0, 0}, {box[0].count, box[1].count, box[2].count}}; }

inline Region common(const Region& a, const Region& b) {
  Region both;
  for (int d = 0; d < 3; ++d) {
    both.from[d] = std::max(a.from[d], b.from[d]);
    both.to[d] = std::min(a.to[d], b.to[d]);
  }
  return both;
}

/// Where the points of a box lie in memory, ghosts included.
///
/// Rows begin at multiples of a cache line. Ghosts before a row lie behind the row before it.
struct Layout {
  static constexpr std::ptrdiff_t kLine = 16;  // numbers: one or two cache lines

  Triple count{};
  std::array<std::ptrdiff_t, 3> stride{};
  std::size_t size = 0;

  explicit Layout(const Box& box) : count{box[0].count, box[1].count, box[2].count} {
    std::ptrdiff_t row = (count[0] + 2 * kGhostLayers + kLine - 1) / kLine * kLine;
    if (row % (4 * kLine) == 0) row += kLine;  // powers of two fight for the same places of a cache
    stride = {1, row, row * (count[1] + 2 * kGhostLayers)};
    size = static_cast<std::size_t>(stride[2] * (count[2] + 2 * kGhostLayers) + 2 * kLine);
  }

  std::ptrdiff_t at(int x, int y, int z) const {
    return kLine + x + (y + kGhostLayers) * stride[1] + (z + kGhostLayers) * stride[2];
  }
};

}  // namespace wave
