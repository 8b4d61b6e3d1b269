// SPDX-License-Identifier: BSD-3-Clause
// The Taylor-Green vortex: a use of the transforms, timed, and checked by what the equations keep.
//
//   balance     the energy that is gone is what viscosity took: 2 nu times the enstrophy, integrated
//   transfer    the nonlinear term moves energy between waves, and makes none
//   divergence  there is none
//   decay       where the amplitude is tiny: the energy, all in waves (+-1, +-1, +-1), goes by exp(-6 nu t)
//
// Source: Brachet et al., "Small-scale structure of the Taylor-Green vortex", J. Fluid Mech. 130 (1983).
#pragma once

#include "report.hpp"

namespace fft3d {

/// Fills in runs, vortex and slice of the report. Collective; throws BadInput where memory is too small.
void measure_vortex(const Decomposition& decomposition, Report& report);

}  // namespace fft3d
