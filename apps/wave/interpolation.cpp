// SPDX-License-Identifier: BSD-3-Clause
#include "interpolation.hpp"

#include <algorithm>
#include <cmath>

namespace wave {

std::vector<WeightedPoint> points_around(const Position& position, Component component, double spacing,
                                         const Triple& points) {
  Triple lower{};
  Position fraction{};
  for (int d = 0; d < 3; ++d) {
    const double place = position[d] / spacing - (kStaggered[component][d] ? 0.5 : 0);
    const double inside = std::clamp(place, 0.0, points[d] - 1.0);
    constexpr double kNothing = 1e-9;  // of a spacing: positions are sums and products of decimal numbers
    const double nearest = std::round(inside);
    const double exact = std::abs(inside - nearest) < kNothing ? nearest : inside;
    lower[d] = std::min(static_cast<int>(exact), points[d] - 2);
    fraction[d] = exact - lower[d];
  }
  std::vector<WeightedPoint> found;
  for (int corner = 0; corner < 8; ++corner) {
    WeightedPoint one{lower, 1};
    for (int d = 0; d < 3; ++d) {
      const int upper = (corner >> d) & 1;
      one.point[d] += upper;
      one.weight *= upper == 1 ? fraction[d] : 1 - fraction[d];
    }
    if (one.weight != 0) found.push_back(one);
  }
  return found;
}

bool is_inside(const Box& box, const Triple& point, Triple& own) {
  for (int d = 0; d < 3; ++d) {
    own[d] = point[d] - box[d].first;
    if (own[d] < 0 || own[d] >= box[d].count) return false;
  }
  return true;
}

}  // namespace wave
