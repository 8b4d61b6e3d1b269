// SPDX-License-Identifier: BSD-3-Clause
// Where in the grid a position lies: the up to eight places of a component around it, and their weights.
//
// Trilinear between the component's own, staggered places. Beyond the outermost of them, at most half a
// spacing, the outermost one counts: vz at the surface is the one half a spacing below.
#pragma once

#include <vector>

#include "components.hpp"

namespace wave {

struct WeightedPoint {
  Triple point;  ///< in the whole grid
  double weight;
};

/// Only points whose weight is not 0; their weights add up to 1.
std::vector<WeightedPoint> points_around(const Position& position, Component component, double spacing,
                                         const Triple& points);

/// In metres.
inline Position place_of(const Triple& point, Component component, double spacing) {
  Position place{};
  for (int d = 0; d < 3; ++d) place[d] = (point[d] + (kStaggered[component][d] ? 0.5 : 0)) * spacing;
  return place;
}

/// In the box's own count; false where the point is another rank's.
bool is_inside(const Box& box, const Triple& point, Triple& own);

}  // namespace wave
