// SPDX-License-Identifier: BSD-3-Clause
// Coefficients: the medium as the updates need it, at the place of each component, times dt / h.
//
// Between points densities are averaged arithmetically and shear moduli harmonically, over the two or four
// points around: so stresses and displacements are continuous where the material changes (Moczo et al., "3D
// fourth-order staggered-grid finite-difference schemes", BSSA 92, 2002). With a shear modulus of 0 on one
// side there is no shear stress.
#pragma once

#include <array>

#include "attenuation.hpp"
#include "field.hpp"
#include "medium.hpp"

namespace wave {

template <typename Real>
struct Coefficients {
  std::array<Field<Real>, 3> buoyancy;  ///< dt / (h density), at vx, vy, vz
  Field<Real> lambda, two_mu;           ///< at the points
  std::array<Field<Real>, 3> shear;     ///< mu at xy, xz, yz
  // With attenuation: the same moduli, each divided by its Q.
  Field<Real> lost_lambda, lost_two_mu;
  std::array<Field<Real>, 3> lost_shear;
  Relaxation<Real> relaxation;

  /// `attenuation`: null without.
  Coefficients(const Medium& medium, const Attenuation* attenuation, double time_step, double spacing,
               const Box& box, const Layout& layout);
};

}  // namespace wave
