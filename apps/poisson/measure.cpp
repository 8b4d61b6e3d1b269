// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "progress_bar.hpp"
#include "vector_updates.hpp"
#include "verdict.hpp"

namespace poisson {
namespace {

/// FNV-1a, word by word instead of byte by byte.
template <typename Word>
std::uint64_t fingerprint_of(std::span<const Word> words) {
  static_assert(sizeof(Word) == sizeof(std::uint64_t));
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Word& word : words) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &word, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3;
  }
  return hash;
}

std::uint64_t fingerprint_of_all(const Vector& x, MPI_Comm communicator) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  std::vector<std::uint64_t> all(rank_count);
  const std::uint64_t own = fingerprint_of(std::span(x));
  MPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, communicator);
  return fingerprint_of(std::span<const std::uint64_t>(all));
}

Check check(Operator& matrix, const Problem& problem, const Vector& x, double target, int iterations,
            MPI_Comm communicator) {
  Vector product(x.size());
  Times untimed;
  matrix.apply(x, product, untimed);
  std::array<double, 4> squares{};  // of b - A x, b, x - u, u
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::array values{problem.b[i] - product[i], problem.b[i], x[i] - problem.exact[i],
                            problem.exact[i]};
    for (std::size_t k = 0; k < 4; ++k) squares[k] += values[k] * values[k];
  }
  MPI_Allreduce(MPI_IN_PLACE, squares.data(), 4, MPI_DOUBLE, MPI_SUM, communicator);
  const auto [residual, b, error, u] = squares;

  constexpr double kDrift = 1.1;
  const double rounding = (10 + std::sqrt(iterations)) * std::numeric_limits<double>::epsilon();
  Check result;
  result.true_residual = std::sqrt(residual / b);
  result.residual_bound = kDrift * target + rounding * problem.largest_eigenvalue * std::sqrt(u / b);
  result.error = std::sqrt(error / u);
  result.error_bound = result.residual_bound * std::sqrt(b / u) / problem.smallest_eigenvalue;
  result.fingerprint = fingerprint_of_all(x, communicator);
  return result;
}

/// One bar for all repetitions; on rank 0.
class Bar {
 public:
  Bar(int repetitions, bool shown) : bar_("solving", kSteps * repetitions, shown) {}

  void advance_to(int repetition, double fraction) {
    const auto reached = kSteps * repetition + static_cast<std::int64_t>(kSteps * fraction);
    if (reached <= done_) return;
    bar_.advance(reached - done_);
    done_ = reached;
  }

 private:
  static constexpr std::int64_t kSteps = 100;
  app::ProgressBar bar_;
  std::int64_t done_ = 0;
};

}  // namespace

Solution solve_and_check(Operator& matrix, Operator& checking, const Problem& problem, const Options& options,
                         MPI_Comm communicator, Vector& answer) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  double b_squared = dot(problem.b, problem.b);
  MPI_Allreduce(MPI_IN_PLACE, &b_squared, 1, MPI_DOUBLE, MPI_SUM, communicator);
  std::vector<Solution> runs;
  std::vector<double> seconds;
  {
    Bar bar(options.repeat_count, rank == 0);
    for (int repetition = 0; repetition < options.repeat_count; ++repetition) {
      std::optional<Iterates> iterates;
      answer = Vector();  // the memory of the one before
      app::together(communicator, [&] { iterates.emplace(problem.b, options.products); });
      if (!problem.start.empty()) iterates->start_from(problem.start, matrix);
      Times times;
      Solution run;
      const Progress progress = [&](double fraction) { bar.advance_to(repetition, fraction); };
      MPI_Barrier(communicator);
      run.outcome =
          solve(matrix, options, b_squared, communicator, *iterates, times, rank == 0 ? progress : nullptr);
      const double target = options.fixed_iterations > 0 ? run.outcome.residual : options.tolerance;
      run.check = check(checking, problem, iterates->x, target, run.outcome.iterations, communicator);
      run.mean = mean_of(times, communicator);
      run.maximum = maximum_of(times, communicator);
      run.seconds = run.maximum[Part::kWhole];
      seconds.push_back(run.seconds);
      runs.push_back(run);
      answer = std::move(iterates->x);
    }
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const Solution& a, const Solution& b) { return a.seconds < b.seconds; });
  middle->seconds_all = seconds;
  return *middle;
}

}  // namespace poisson
