// SPDX-License-Identifier: BSD-3-Clause
// Runs the solves, checks their answers, and measures what an MPI_Iallreduce costs alone.
#pragma once

#include <vector>

#include "operator.hpp"
#include "options.hpp"
#include "preconditioner.hpp"
#include "timers.hpp"

namespace pcg {

/// One algorithm's outcome; the same on all ranks.
struct Solution {
  Algorithm algorithm = Algorithm::kHypre;
  int iterations = 0;
  bool converged = false;
  bool stands_still = false;    ///< given up, as the true residual no longer fell; only with Stop::kTrue
  double true_residual = 0;     ///< ||b - A x|| / ||b||, computed afresh from x
  std::vector<double> history;  ///< ||r|| / ||b|| before the first iteration and after each
  Times mean;                   ///< over the ranks, of the run with the median solver time
  Times maximum;
  std::vector<double> solver_seconds;  ///< of every repetition, mean over the ranks
};

/// Solves A x = 1 with every algorithm asked for. Repetitions alternate between the algorithms, so that a
/// slow moment of the machine does not hit one alone. Collective; throws BadInput if A proves not to be
/// positive definite.
std::vector<Solution> solve_all(const Operator& matrix, const Preconditioner& preconditioner,
                                const Options& options);

/// Seconds of MPI_Iallreduce + MPI_Wait of one double with nothing in between; mean over calls and ranks.
/// Collective.
double measure_iallreduce_latency(MPI_Comm communicator);

}  // namespace pcg
