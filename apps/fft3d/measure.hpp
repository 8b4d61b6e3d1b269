// SPDX-License-Identifier: BSD-3-Clause
// Runs the transforms that the options ask for, timed, and checks every answer.
#pragma once

#include "report.hpp"

namespace fft3d {

/// Fills in planes_per_message, runs and tests. Collective; throws BadInput where memory is too small.
void measure_transforms(const Decomposition& decomposition, Report& report);

/// The largest of the ranks' seconds. Collective.
double slowest(double seconds, MPI_Comm communicator);

}  // namespace fft3d
