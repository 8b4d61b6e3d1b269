// SPDX-License-Identifier: BSD-3-Clause
// What a run tells: a table for people, one JSON object for programs. Called on rank 0 only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "measure.hpp"
#include "options.hpp"

namespace poisson {

struct Report {
  Options options;
  std::array<int, 3> process_grid{};
  int rank_count = 0;
  double points = 0;  ///< of all ranks
  Solution solution;
  double triad_bytes_per_second = 0;  ///< of all ranks together; 0: not measured

  bool checked() const { return options.exchange != Exchange::kSkipped; }
  double iterations_points() const { return points * solution.outcome.iterations; }
  double gigaflops() const {
    return 1e-9 * flops_per_point(options) * iterations_points() / solution.seconds;
  }
  double bytes() const { return bytes_per_point(options) * iterations_points(); }
  double gigabytes_per_second() const { return 1e-9 * bytes() / solution.seconds; }
  /// Of the whole solve, and of its computation alone: without exchange and reductions.
  double share_of_triad() const { return bytes() / solution.seconds / triad_bytes_per_second; }
  double share_of_triad_computing() const {
    return bytes() / solution.mean.computation() / triad_bytes_per_second;
  }
};

/// What is wrong with the answer, one line each; empty if nothing, or if it was not to be right.
std::vector<std::string> complaints(const Report& report);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace poisson
