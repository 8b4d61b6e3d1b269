// SPDX-License-Identifier: BSD-3-Clause
// Ghosts where the grid ends, so that the updates need not know where that is.
//
// A free surface, at the points z = 0, bears no zz, xz, yz. Stresses are odd functions of z there (stress
// imaging: Levander, "Fourth-order finite-difference P-SV seismograms", Geophysics 53, 1988; Graves, BSSA 86,
// 1996):
//
//   zz(0) = 0, zz(-1) = -zz(1);    xz(-1/2) = -xz(1/2), xz(-3/2) = -xz(3/2);    yz alike
//
// Velocities above it are such that their derivatives along z are of second order next to the surface, and
// that at the surface dvz/dz = -lambda / (lambda + 2 mu) (dvx/dx + dvy/dy), which leaves zz there as it is.
//
// A rigid wall without friction, half a spacing outside the outermost points, is a mirror: what lies on it, a
// velocity towards it and a shear stress along it, is odd, all else even.
//
// Beyond absorbing layers all is zero.
#pragma once

#include "absorbing.hpp"
#include "coefficients.hpp"
#include "field.hpp"

namespace wave {

/// Which sides of a box are edges of the grid, and of what kind.
struct Edges {
  Boundaries boundaries;
  std::array<bool, kSideCount> is_edge{};

  Edges(Boundaries kind, const Box& box) : boundaries(kind) {
    for (int d = 0; d < 3; ++d) {
      is_edge[2 * d] = box[d].first == 0;
      is_edge[2 * d + 1] = box[d].first + box[d].count == box[d].whole;
    }
  }
  bool has_surface() const { return boundaries == Boundaries::kSurface && is_edge[kTop]; }
};

/// Ghosts of a group whose other ghosts, those of the neighbours, are there.
template <typename Real>
void fill_edges(int group, const Edges& edges, State<Real>& state, const Layout& layout);

/// What the normal stresses at the surface need, once all ghosts of velocities are there.
template <typename Real>
void free_surface_before_normal(const Edges& edges, State<Real>& state,
                                const Coefficients<Real>& coefficients, const Layout& layout);

/// zz at the surface is exactly zero.
template <typename Real>
void free_surface_behind_normal(const Edges& edges, State<Real>& state, const Layout& layout,
                                const Region& region);

}  // namespace wave
