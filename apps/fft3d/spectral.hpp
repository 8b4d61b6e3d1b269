// SPDX-License-Identifier: BSD-3-Clause
// Waves: the wave vectors of a spectrum block on a cube of side 2 pi, and sums over a spectrum.
//
// Two thirds of the wave numbers of each axis are kept: products of two fields then bring no aliases into
// them.
#pragma once

#include <array>
#include <vector>

#include "decomposition.hpp"

namespace fft3d {

class Waves {
 public:
  Waves(const Grid& grid, const Block& block) : grid_(grid), block_(block) {
    for (int axis = 0; axis < 3; ++axis) {
      const int n = grid.points[axis];
      for (int i = 0; i < n; ++i) numbers_[axis].push_back(2 * i <= n ? i : i - n);
    }
  }

  const Block& block() const { return block_; }

  /// `act(k, index)` for every coefficient of the block.
  template <typename Act>
  void for_each(const Act& act) const {
    for_each_point(block_, [&](int x, int y, int z, std::size_t index) {
      act(std::array<double, 3>{numbers_[0][x], numbers_[1][y], numbers_[2][z]}, index);
    });
  }

  bool is_kept(const std::array<double, 3>& k) const {
    for (int axis = 0; axis < 3; ++axis)
      if (3 * (k[axis] < 0 ? -k[axis] : k[axis]) >= grid_.points[axis]) return false;
    return true;
  }

  /// How many coefficients of the whole spectrum one stands for: those with x < 0 are not stored.
  double weight(const std::array<double, 3>& k) const {
    return k[0] != 0 && 2 * k[0] != grid_.points[0] ? 2 : 1;
  }

 private:
  Grid grid_;
  Block block_;
  std::array<std::vector<double>, 3> numbers_;
};

inline double squared(const std::array<double, 3>& k) { return k[0] * k[0] + k[1] * k[1] + k[2] * k[2]; }

}  // namespace fft3d
