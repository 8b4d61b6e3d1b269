// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "vector_updates.hpp"

namespace poisson {
namespace {

double sum_over_ranks(double part, MPI_Comm communicator, Times& times) {
  const Timed timed(times[Part::kReductions]);
  double sum = 0;
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, communicator);
  return sum;
}

/// How far towards the tolerance on a logarithmic scale, or how many of the iterations asked for.
double fraction_done(const Outcome& outcome, const Options& options) {
  if (options.fixed_iterations > 0) return 1.0 * outcome.iterations / options.fixed_iterations;
  return std::clamp(std::log(outcome.residual) / std::log(options.tolerance), 0.0, 1.0);
}

/// With more iterations than the problem has to give, r becomes zero; the step is then zero too.
double quotient(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

}  // namespace

Outcome solve(Operator& matrix, const Options& options, MPI_Comm communicator, Iterates& v, Times& times,
              const Progress& progress) {
  const Timed timed(times[Part::kWhole]);
  const bool fixed = options.fixed_iterations > 0;
  const int most = fixed ? options.fixed_iterations : options.max_iterations;
  const double b_squared = sum_over_ranks(dot(v.r, v.r), communicator, times);
  double r_squared = b_squared;

  Outcome outcome;
  while (outcome.iterations < most && (fixed || !outcome.converged)) {
    const double pq = sum_over_ranks(matrix.apply(v.p, v.q, times), communicator, times);
    const double alpha = quotient(r_squared, pq);
    double r_squared_part = 0;
    {
      const Timed updating(times[Part::kUpdates]);
      r_squared_part = update_residual(alpha, v.q, v.r);
    }
    const double r_squared_now = sum_over_ranks(r_squared_part, communicator, times);
    const double beta = quotient(r_squared_now, r_squared);
    {
      const Timed updating(times[Part::kUpdates]);
      update_solution_and_direction(alpha, beta, v.r, v.x, v.p);
    }
    r_squared = r_squared_now;
    ++outcome.iterations;
    outcome.residual = std::sqrt(r_squared / b_squared);
    outcome.converged = outcome.residual <= options.tolerance;
    if (progress) progress(fraction_done(outcome, options));
  }
  return outcome;
}

int bytes_per_point(const Options&) {
  constexpr int kProduct = 16;  // p read, q written
  return kProduct + 24 + 40;
}

int flops_per_point(const Options&) {
  constexpr int kProduct = 7;          // one product, six sums
  constexpr int kDotsAndUpdates = 10;  // p . q, r . r, and three updates
  return kProduct + kDotsAndUpdates;
}

}  // namespace poisson
