// SPDX-License-Identifier: BSD-3-Clause
// When a solve is over: the one test that all algorithms share, and the residuals on the way.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "verdict.hpp"

namespace pcg {

inline app::BadInput not_positive_definite(double sdotp, int iteration) {
  return app::BadInput(
      fmt::format("the matrix is not positive definite: p.Ap is {:g} in iteration {}; conjugate gradients "
                  "need a positive definite matrix",
                  sdotp, iteration));
}

class Stopping {
 public:
  Stopping(double tolerance, int max_iterations) : tolerance_(tolerance), max_iterations_(max_iterations) {}

  /// bi_prod = b.b, i_prod = r.r before the first iteration.
  void begin(double bi_prod, double i_prod) {
    bi_prod_ = bi_prod;
    converged_ = record(i_prod);
  }

  bool may_go_on() const { return !converged_ && iterations_ < max_iterations_; }

  /// True while there is an iteration to do; counts it.
  bool next_iteration() {
    if (!may_go_on()) return false;
    ++iterations_;
    return true;
  }

  /// Ends the iteration: is ||r|| <= tolerance ||b||?
  bool converged(double i_prod) { return converged_ = record(i_prod); }

  /// The same for a better r.r than the last one, in its place.
  bool corrected(double i_prod) {
    history_.pop_back();
    return converged_ = record(i_prod);
  }

  /// Passes p.Ap on. It is positive for every p when A is positive definite; when not, the step length means
  /// nothing and the iteration might go on for ever. Every rank has the same sum, so every rank throws.
  double require_positive(double sdotp) const {
    if (sdotp > 0) return sdotp;
    if (std::isnan(sdotp))
      throw app::BadInput(
          fmt::format("p.Ap is not a number in iteration {}: rounding limits this matrix, choose a "
                      "larger --tolerance",
                      iterations_));
    throw not_positive_definite(sdotp, iterations_);
  }

  /// Takes over the outcome of a solver that tests by itself.
  void adopt(int iterations, bool converged, std::vector<double> history) {
    iterations_ = iterations;
    converged_ = converged;
    history_ = std::move(history);
  }

  double tolerance() const { return tolerance_; }
  int max_iterations() const { return max_iterations_; }
  int iterations() const { return iterations_; }
  bool has_converged() const { return converged_; }

  /// ||r|| / ||b|| before the first iteration and after each one.
  const std::vector<double>& history() const { return history_; }

 private:
  bool record(double i_prod) {
    history_.push_back(std::sqrt(i_prod / bi_prod_));
    return i_prod <= tolerance_ * tolerance_ * bi_prod_;
  }

  double tolerance_;
  int max_iterations_;
  double bi_prod_ = 1;
  int iterations_ = 0;
  bool converged_ = false;
  std::vector<double> history_;
};

}  // namespace pcg
