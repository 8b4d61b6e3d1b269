// SPDX-License-Identifier: BSD-3-Clause
// A standing P wave in a box with rigid walls without friction: an exact solution without sources or edges'
// errors.
//
// Displacements u = grad phi cos(w t), phi = cos(kx X) cos(ky Y) cos(kz Z) with X = x + h/2 and so on from
// the lower walls, k = m pi / (n h) with m = 2, 1, 1 half waves, w = vp |k|. The error grows with time, of
// fourth order in h and of second order in dt: the phase of one mode of the differences is off by about
//
//   w t (3/640 h^4 sum k_d^6 / |k|^2  +  (w dt)^2 / 24)
//
// of which twice as much is allowed, and some rounding.
#pragma once

#include "problem.hpp"
#include "simulation.hpp"

namespace wave {

struct StandingError {
  double error = 0,
         bound = 0;  ///< of the nine components, in their own scale: sqrt of the energy of the difference
  bool right() const { return error <= bound; }
};

/// Velocities half a step before, stresses at, time 0.
template <typename Real>
void set_standing_wave(const Problem& problem, const Material& material, Simulation<Real>& simulation);

/// After the steps that have been done. Collective.
template <typename Real>
StandingError compare_with_standing_wave(const Problem& problem, const Material& material,
                                         Simulation<Real>& simulation, MPI_Comm communicator);

}  // namespace wave
