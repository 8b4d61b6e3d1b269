// SPDX-License-Identifier: BSD-3-Clause
// When a solve is over: the one test that all algorithms share, and the residuals on the way.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "verdict.hpp"

namespace pcg {

/// Passes p.Ap of an iteration on. It is positive for every p when A is positive definite; when not, the step
/// length means nothing and the iteration might go on for ever. Every rank has the same sum, so every rank
/// throws.
inline double require_positive(double sdotp, int iteration) {
  if (sdotp > 0 && std::isfinite(sdotp)) return sdotp;
  if (!std::isfinite(sdotp))
    throw app::BadInput(fmt::format(
        "p.Ap is not a finite number in iteration {}: rounding or the size of its elements limits "
        "this matrix; choose a larger --tolerance, or scale the matrix",
        iteration));
  throw app::BadInput(
      fmt::format("the matrix is not positive definite: p.Ap is {:g} in iteration {}; conjugate gradients "
                  "need a positive definite matrix",
                  sdotp, iteration));
}

class Stopping {
 public:
  Stopping(double tolerance, int max_iterations) : tolerance_(tolerance), max_iterations_(max_iterations) {}

  /// bi_prod = b.b, i_prod = r.r before the first iteration; or before those that follow a restart.
  void begin(double bi_prod, double i_prod) {
    bi_prod_ = bi_prod;
    if (history_.empty()) converged_ = record(i_prod);
    else corrected(i_prod);
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

  /// After a solve that has converged by its own residual, the r.r of b - A x: is there reason to solve on
  /// from that x? Not if it has converged by that as well, and not if going on no longer halves it.
  bool must_restart(double i_prod) {
    if (corrected(i_prod)) return false;
    stands_still_ = !(history_.back() < kLeastProgress * restarted_at_);
    restarted_at_ = history_.back();
    return !stands_still_ && may_go_on();
  }

  /// True if must_restart has given up for want of progress.
  bool stands_still() const { return stands_still_; }

  double require_positive(double sdotp) const { return pcg::require_positive(sdotp, iterations_); }

  /// Takes over the outcome of a solver that tests by itself: r.r after each of its iterations. It began with
  /// x = 0, so with r = b, or else at the last residual here.
  void adopt(double bi_prod, const std::vector<double>& i_prods, int iterations, bool converged) {
    bi_prod_ = bi_prod;
    if (history_.empty()) record(bi_prod);
    for (const double i_prod : i_prods) record(i_prod);
    iterations_ += iterations;
    converged_ = converged;
  }

  double tolerance() const { return tolerance_; }
  int iterations_left() const { return max_iterations_ - iterations_; }
  int iterations() const { return iterations_; }
  bool has_converged() const { return converged_; }

  /// ||r|| / ||b|| before the first iteration and after each one; of b - A x where that was computed.
  const std::vector<double>& history() const { return history_; }

 private:
  bool record(double i_prod) {
    history_.push_back(std::sqrt(i_prod / bi_prod_));
    return i_prod <= tolerance_ * tolerance_ * bi_prod_;
  }

  static constexpr double kLeastProgress = 0.5;  // from one restart to the next; CG makes far more of it

  double tolerance_;
  int max_iterations_;
  double bi_prod_ = 1;
  int iterations_ = 0;
  bool converged_ = false;
  bool stands_still_ = false;
  double restarted_at_ = std::numeric_limits<double>::infinity();
  std::vector<double> history_;
};

}  // namespace pcg
