// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "algorithms.hpp"

namespace pcg {
namespace {

struct Problem {
  const Operator& matrix;
  const Preconditioner& preconditioner;
  const Options& options;
  Vector b;
  std::unique_ptr<HypreReference> hypre;
};

/// What becomes of one solve's reductions; `sums` as Steps takes it.
struct Reductions {
  Exchange exchange;
  Sums* sums;
};

double true_residual(const Problem& problem, const Vector& x) {
  Vector product(x.size());
  double halo_seconds = 0;
  problem.matrix.apply(x, product, halo_seconds);
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = problem.b[i] - product[i];
    sums[0] += difference * difference;
    sums[1] += problem.b[i] * problem.b[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, problem.matrix.communicator());
  return std::sqrt(sums[0] / sums[1]);
}

/// At least the largest eigenvalue of C^-1 A. For a V-cycle that is 1: what it leaves of an error, I - C^-1
/// A, is a product of half a cycle and its adjoint, so not negative. Else by Gershgorin's circles of the
/// similar L^-1 A L^-1.
double eigenvalue_bound(const Operator& matrix, const Preconditioner& preconditioner,
                        const Options& options) {
  if (options.preconditioner == PreconditionerKind::kBoomerAmg) return 1;
  const Vector ones(matrix.row_count(), 1.0);
  Vector scaled(ones.size());
  Vector sums(ones.size());
  preconditioner.apply_half(ones, scaled);
  matrix.apply_magnitudes(scaled, sums);
  preconditioner.apply_half(sums, sums);
  double largest = 0;
  for (const double sum : sums) largest = std::max(largest, sum);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, matrix.communicator());
  return largest;
}

/// Calls `solve`, which starts from x and works in place, until it has converged by the residual asked for.
template <typename Solve>
void solve_to_the_end(const Solve& solve, const Vector& x, Steps& steps, const Problem& problem, Times& times,
                      Stopping& stopping) {
  solve();
  if (problem.options.stop == Stop::kRecurrence) return;
  Vector r(x.size());
  Vector product(x.size());
  const auto true_product = [&] {
    Timed timed(times[Part::kSolver]);
    steps.matvec(x, product);
    steps.scale(1, problem.b, r);
    steps.axpy(-1, product, r);
    return steps.inner_product(InnerProduct::kIprod, r, r);
  };
  while (stopping.has_converged() && stopping.must_restart(true_product())) solve();
}

/// What `solve` leaves in x. The clock starts when all ranks have their vectors.
template <typename ItsVectors, typename Solve>
Vector solution_by(const Solve& solve, ItsVectors vectors, const Problem& problem, Reductions reductions,
                   Times& times, Stopping& stopping) {
  Steps steps(problem.matrix, problem.preconditioner, times, reductions.exchange, reductions.sums);
  MPI_Barrier(problem.matrix.communicator());
  const auto once = [&] {
    Timed timed(times[Part::kSolver]);
    solve(steps, problem.b, vectors, stopping);
  };
  solve_to_the_end(once, vectors.x, steps, problem, times, stopping);
  return std::move(vectors.x);
}

Vector run(Algorithm algorithm, const Problem& problem, Reductions reductions, Times& times,
           Stopping& stopping) {
  const std::size_t rows = problem.b.size();
  const Options& options = problem.options;
  const auto by = [&](const auto& solve, auto vectors) {
    return solution_by(solve, std::move(vectors), problem, reductions, times, stopping);
  };
  const auto replacing = [&](const auto& solve) {
    return [&](Steps& steps, const Vector& b, auto& vectors, Stopping& its) {
      solve(steps, b, vectors, its, options.replace_every);
    };
  };
  switch (algorithm) {
    case Algorithm::kAlgorithm1: return by(algorithm1, Vectors(rows));
    case Algorithm::kAlgorithm2: return by(algorithm2, Vectors(rows));
    case Algorithm::kOverlap: return by(overlap, Vectors(rows));
    case Algorithm::kGropp: return by(gropp, GroppVectors(rows));
    case Algorithm::kPipelined: return by(replacing(pipelined), PipelinedVectors(rows));
    case Algorithm::kSstep:
      return by(replacing(sstep),
                SstepVectors(rows, options.steps,
                             eigenvalue_bound(problem.matrix, problem.preconditioner, options)));
    case Algorithm::kHypre: break;
  }
  Vector x(rows);
  Steps steps(problem.matrix, problem.preconditioner, times, reductions.exchange, reductions.sums);
  const auto once = [&] { problem.hypre->solve(times, x, stopping); };
  solve_to_the_end(once, x, steps, problem, times, stopping);
  return x;
}

/// What solves without reductions need: the sums of one with them.
Sums sums_of(Algorithm algorithm, const Problem& problem) {
  Sums sums;
  Times times;
  Stopping stopping(problem.options.tolerance, problem.options.max_iterations);
  run(algorithm, problem, {Exchange::kBlocking, &sums}, times, stopping);
  return sums;
}

/// `sums` counts only where reductions are skipped.
Solution solve_once(Algorithm algorithm, const Problem& problem, Sums& sums) {
  Times times;
  Stopping stopping(problem.options.tolerance, problem.options.max_iterations);
  sums.start_over();
  const bool skipped = problem.options.exchange == Exchange::kSkipped;
  const Vector x =
      run(algorithm, problem, {problem.options.exchange, skipped ? &sums : nullptr}, times, stopping);

  const MPI_Comm communicator = problem.matrix.communicator();
  Solution solution;
  solution.algorithm = algorithm;
  solution.iterations = stopping.iterations();
  solution.converged = stopping.has_converged();
  solution.stands_still = stopping.stands_still();
  solution.true_residual = true_residual(problem, x);
  solution.history = stopping.history();
  solution.mean = mean_of(times, communicator);
  solution.maximum = maximum_of(times, communicator);
  return solution;
}

/// The run with the median solver time (the lower one of two). All ranks have the same means, so the same
/// run.
Solution median_of(std::vector<Solution> runs) {
  std::vector<double> seconds;
  for (const Solution& run : runs) seconds.push_back(run.mean[Part::kSolver]);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end(), [](const Solution& a, const Solution& b) {
    return a.mean[Part::kSolver] < b.mean[Part::kSolver];
  });
  middle->solver_seconds = seconds;
  return *middle;
}

double time_iallreduces(int count, MPI_Comm communicator) {
  double in = 1;
  double out = 0;
  MPI_Barrier(communicator);
  const double start = now();
  for (int i = 0; i < count; ++i) {
    MPI_Request request;
    MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, communicator, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return (now() - start) / count;
}

}  // namespace

std::vector<Solution> solve_all(const Operator& matrix, const Preconditioner& preconditioner,
                                const Options& options) {
  Problem problem{matrix, preconditioner, options, Vector(matrix.row_count(), 1.0), nullptr};
  const auto& algorithms = options.algorithms;
  if (std::find(algorithms.begin(), algorithms.end(), Algorithm::kHypre) != algorithms.end())
    problem.hypre = std::make_unique<HypreReference>(matrix, preconditioner, problem.b);

  std::vector<Sums> sums(algorithms.size());
  if (options.exchange == Exchange::kSkipped)
    for (std::size_t i = 0; i < algorithms.size(); ++i) sums[i] = sums_of(algorithms[i], problem);

  std::vector<std::vector<Solution>> runs(algorithms.size());
  for (int repetition = 0; repetition < options.repeat_count; ++repetition)
    for (std::size_t i = 0; i < algorithms.size(); ++i)
      runs[i].push_back(solve_once(algorithms[i], problem, sums[i]));

  std::vector<Solution> solutions;
  for (auto& of_one : runs) solutions.push_back(median_of(std::move(of_one)));
  return solutions;
}

double measure_iallreduce_latency(MPI_Comm communicator) {
  constexpr int kWarmUp = 20;
  constexpr int kMost = 1000;
  constexpr double kBudgetSeconds = 0.5;
  double estimate = time_iallreduces(kWarmUp, communicator);
  MPI_Bcast(&estimate, 1, MPI_DOUBLE, 0, communicator);  // all ranks must choose the same count
  const int count = static_cast<int>(std::clamp(kBudgetSeconds / estimate, 1.0 * kWarmUp, 1.0 * kMost));

  double seconds = time_iallreduces(count, communicator);
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, communicator);
  return seconds / rank_count;
}

}  // namespace pcg
