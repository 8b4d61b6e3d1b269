// SPDX-License-Identifier: BSD-3-Clause
// Solves as often as asked for, and checks each answer against the exact discrete solution.
//
// The residual and the error that are allowed: with t the tolerance (or, where the number of iterations is
// fixed, the residual that the recurrence reached)
//
//   ||b - A x|| / ||b||        <= 1.1 t + (10 + sqrt(k)) eps ||A|| ||u|| / ||b||     =: d
//   ||x - u|| / ||u||          <= d ||b|| / (lambda_min ||u||)
//
// k being the number of iterations. The first allows the recurrence to drift by rounding, a little with each
// iteration, in no direction of its own, below which no x can be expected to get (Greenbaum, "Estimating
// the attainable accuracy of recursively computed residual methods", SIAM J. Matrix Anal. 18, 1997); the
// second follows from the first, x - u being A^-1 of the residual.
#pragma once

#include <cstdint>
#include <vector>

#include "conjugate_gradients.hpp"
#include "exact.hpp"

namespace poisson {

/// How good an x is; the same on all ranks.
struct Check {
  double error = 0;  ///< ||x - u|| / ||u||
  double error_bound = 0;
  double true_residual = 0;  ///< ||b - A x|| / ||b||, computed afresh from x
  double residual_bound = 0;
  std::uint64_t fingerprint = 0;  ///< of all bits of x, rank by rank

  // False also for what is no number.
  bool right() const { return error <= error_bound && true_residual <= residual_bound; }
};

/// The run of median time, the lower one of two.
struct Solution {
  Outcome outcome;
  Check check;
  double seconds = 0;  ///< slowest rank
  Times mean;          ///< over the ranks
  Times maximum;
  std::vector<double> seconds_all;  ///< of every repetition
};

/// `checking`: the matrix with an exchange that does not skip anything. `answer` becomes the last x.
/// Collective; throws BadInput without memory for it.
Solution solve_and_check(Operator& matrix, Operator& checking, const Problem& problem, const Options& options,
                         MPI_Comm communicator, Vector& answer);

}  // namespace poisson
