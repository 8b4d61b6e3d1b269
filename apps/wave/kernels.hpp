// SPDX-License-Identifier: BSD-3-Clause
// The updates of the wave field at the points of a region: fourth order in space, leapfrog in time.
//
//   velocity   v += b (D s1 + D s2 + D s3)                b = dt / (h density)
//   shear      s += m (D v1 + D v2)                       m = dt mu / h
//   normal     s_ii += l (e_x + e_y + e_z) + m2 e_i       l = dt lambda / h, m2 = 2 dt mu / h
//
//   D f = 9/8 (f[1] - f[0]) - 1/24 (f[2] - f[-1])         half a spacing beyond f[0] (Levander 1988)
//
// With attenuation each stress has one memory variable r (times dt), whose relaxation time goes round eight
// values with the parity of x, y, z (Day 1998; see attenuation.hpp): with e the bracket above and c its
// modulus divided by Q,
//
//   r' = decay r + gain c e,    s += modulus e - (r + r') / 2
//
// What a point's update reads and adds does not depend on the region that the point is computed in.
// Cost, as numbers read or written per point, each array once per pass: velocities 3 x 6, shear 3 x 5,
// normal 11.
#pragma once

#include "coefficients.hpp"
#include "field.hpp"

namespace wave {

/// Derivatives are taken from point `offset` 0 or, half a spacing before a point, -1.
template <typename Real>
struct Difference {
  const Real* values;
  std::ptrdiff_t step;
};

template <typename Real>
Real difference(const Real* f, std::ptrdiff_t step) {
  return Real(9.0 / 8) * (f[step] - f[0]) + Real(-1.0 / 24) * (f[2 * step] - f[-step]);
}

/// Of `component` along `direction`, where the derivative belongs: forward from a component on points,
/// backward from one that is staggered in this direction.
template <typename Real>
Difference<Real> difference_of(const State<Real>& state, const Layout& layout, Component component,
                               int direction) {
  const std::ptrdiff_t step = layout.stride[direction];
  return {state.fields[component].data() - (kStaggered[component][direction] ? step : 0), step};
}

/// One group of components, at the points of `region`.
template <typename Real>
void update(int group, State<Real>& state, const Coefficients<Real>& coefficients, const Layout& layout,
            const Region& region);

}  // namespace wave
