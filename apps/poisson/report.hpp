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

  bool checked() const { return options.exchange != Exchange::kSkipped; }
  double iterations_points() const { return points * solution.outcome.iterations; }
  double gigaflops() const {
    return 1e-9 * flops_per_point(options) * iterations_points() / solution.seconds;
  }
  double gigabytes_per_second() const {
    return 1e-9 * bytes_per_point(options) * iterations_points() / solution.seconds;
  }
};

/// What is wrong with the answer, one line each; empty if nothing, or if it was not to be right.
std::vector<std::string> complaints(const Report& report);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace poisson
