// SPDX-License-Identifier: BSD-3-Clause
// How strong a source is over time: s(t), of which the closed forms know what the exact solution needs.
//
// With T = t - delay, f the frequency, w = 1 / (sqrt(2) pi f), G = exp(-T^2 / (2 w^2)); the largest value is
// 1:
//
//   gaussian     s = G
//   derivative   s = -(T / w) exp(1/2) G
//   ricker       s = (1 - T^2 / w^2) G, whose spectrum is largest at f
//   file         one number a line, in order of time steps of its own; straight lines between, 0 outside
#pragma once

#include <string>
#include <vector>

namespace wave {

enum class Shape { kGaussian, kDerivative, kRicker, kFile };
const char* name_of(Shape shape);

/// Above this multiple of f no closed form has more than 4 % of its largest amplitude.
inline constexpr double kHighestFrequency = 2.5;

struct TimeFunction {
  Shape shape = Shape::kRicker;
  double frequency = 0;  ///< Hz
  double delay = 0;      ///< s
  std::string file;
  double sample_interval = 0;  ///< s, of a file
  std::vector<double> samples;

  double value(double time) const;
  // These three exist for closed forms only, not for samples: the derivative, the integral from the beginning
  // on, and the integral of that.
  double derivative(double time) const;
  double integral(double time) const;
  double second_integral(double time) const;
};

/// The closed forms are as good as zero before their delay less this.
inline double usual_delay(double frequency) { return 1.5 / frequency; }

}  // namespace wave
