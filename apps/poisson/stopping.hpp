// SPDX-License-Identifier: BSD-3-Clause
// When a solve is over: at the tolerance, or after so many iterations. The one test that all forms share.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "options.hpp"

namespace poisson {

struct Outcome {
  int iterations = 0;
  double residual = 1;  ///< ||r|| / ||b||, r by the recurrence
  bool converged = false;
};

/// Told how far the solve has come, from 0 to 1.
using Progress = std::function<void(double)>;

class Stopping {
 public:
  Stopping(const Options& options, double b_squared, double r_squared, const Progress& progress)
      : options_(options), b_squared_(b_squared), progress_(progress) {
    look_at(r_squared);
  }

  bool has_to_go_on() const {
    if (fixed()) return outcome_.iterations < options_.fixed_iterations;
    return !outcome_.converged && outcome_.iterations < options_.max_iterations;
  }

  void iteration_is_done(double r_squared) {
    ++outcome_.iterations;
    look_at(r_squared);
    if (progress_) progress_(fraction_done());
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  void look_at(double r_squared) {
    outcome_.residual = std::sqrt(r_squared / b_squared_);
    outcome_.converged = outcome_.residual <= options_.tolerance;
  }

  bool fixed() const { return options_.fixed_iterations > 0; }

  /// How many of the iterations asked for, or how far towards the tolerance on a logarithmic scale.
  double fraction_done() const {
    if (fixed()) return 1.0 * outcome_.iterations / options_.fixed_iterations;
    return std::clamp(std::log(outcome_.residual) / std::log(options_.tolerance), 0.0, 1.0);
  }

  const Options& options_;
  double b_squared_;
  const Progress& progress_;
  Outcome outcome_;
};

/// With more iterations than the problem has to give, r becomes zero; the step is then zero too.
inline double quotient(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

}  // namespace poisson
