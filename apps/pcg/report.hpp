// SPDX-License-Identifier: BSD-3-Clause
// What a run tells: tables for people, one JSON object for programs. Called on rank 0 only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "measure.hpp"
#include "options.hpp"

namespace pcg {

struct Report {
  Options options;
  std::array<int, 3> process_grid{};  ///< of the Laplacian
  long long unknowns = 0;
  int rank_count = 0;
  double preconditioner_setup = 0;  ///< seconds
  std::vector<Solution> solutions;
  double iallreduce_latency = 0;      ///< seconds
  double triad_bytes_per_second = 0;  ///< of all ranks together; 0: not measured

  /// Of all ranks together, of the whole solve; NaN where hypre alone knows.
  double bytes_per_second(const Solution& solution) const {
    return rank_count * solution.mean.bytes / solution.mean[Part::kSolver];
  }

  const Solution* find(Algorithm algorithm) const {
    for (const Solution& solution : solutions)
      if (solution.algorithm == algorithm) return &solution;
    return nullptr;
  }
};

/// The true residual may be this many times the tolerance: the recurrence for r drifts from b - Ax by
/// rounding.
inline constexpr double kResidualAllowance = 1.1;

/// Solver time without halo and Allreduce; where the halo is not known apart (NaN) it counts as computation.
double computation_of(const Times& times);

/// What is wrong with the answers, one line each; empty if nothing.
std::vector<std::string> complaints(const Report& report);

/// Convergence, Table I, figure 11, what hides each MPI_Iallreduce and, if asked for, the residual history.
std::string as_text(const Report& report);

std::string as_json(const Report& report);

}  // namespace pcg
