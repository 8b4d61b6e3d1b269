// SPDX-License-Identifier: BSD-3-Clause
// The exact solution in a homogeneous full space, and how far computed seismograms are from it.
//
// Point forces F_p s(t) (Aki and Richards, Quantitative Seismology, eq. 4.23) and moment tensors (eq. 4.29),
// near, intermediate and far fields. With r the distance, g the direction cosines from source to receiver,
// the near field of a function f between the arrivals of P and S is
//
//   N f = int_{r/a}^{r/b} u f(t - u) du  =  r/a f1(t - r/a) + f2(t - r/a) - r/b f1(t - r/b) - f2(t - r/b),
//
// f1, f2 being the first and second integral of f. Velocities are wanted, so f is s' for forces, and s, the
// moment rate, for moments.
//
// On the grid a source is spread over the points around it, and a receiver interpolates between those around
// it. The exact solution is treated alike, point by point, so that what remains is the error of the
// differences.
#pragma once

#include <string>
#include <vector>

#include "problem.hpp"
#include "receivers.hpp"

namespace wave {

/// One wave at one receiver, by the largest value of the part of the velocity along the ray (P) or across it
/// (S).
struct Arrival {
  double exact_seconds = 0, seconds = 0;
  double exact_amplitude = 0, amplitude = 0;  ///< m/s; 0: this wave is not there
};

struct ReceiverError {
  double misfit = 0;  ///< ||computed - exact|| / ||exact||, over all samples and components
  double distance = 0;
  Arrival p, s;
};

inline constexpr double kMisfitBound = 0.05;
inline constexpr double kAmplitudeBound = 0.05;
/// Of an arrival, in periods of the source.
inline constexpr double kArrivalBound = 0.03;

/// On rank 0, where the seismograms are.
std::vector<ReceiverError> compare_with_full_space(const Problem& problem, const Material& material,
                                                   const Seismograms& seismograms);

/// What is beyond the bounds, a line each.
std::vector<std::string> complaints(const std::vector<ReceiverError>& errors, const Problem& problem);

}  // namespace wave
