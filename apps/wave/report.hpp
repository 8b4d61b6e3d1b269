// SPDX-License-Identifier: BSD-3-Clause
// What a run tells: a table for people, one JSON object for programs. Called on rank 0 only.
#pragma once

#include <string>
#include <vector>

#include "measure.hpp"
#include "options.hpp"

namespace wave {

/// Numbers read or written per point and step, each array once per pass (kernels.hpp).
int numbers_per_point(bool attenuating);

struct Report {
  Options options;
  Triple process_grid{};
  int rank = 0, rank_count = 0;
  Problem problem;
  Solution solution;
  double triad_bytes_per_second = 0;  ///< of all ranks together; 0: not measured

  bool checked() const { return options.check != Check::kNone && options.exchange != ExchangeKind::kSkipped; }
  double points() const { return 1.0 * problem.points[0] * problem.points[1] * problem.points[2]; }
  double point_steps() const { return points() * solution.steps; }
  int bytes_per_point() const {
    return numbers_per_point(problem.attenuation.has_value()) *
           (options.precision == Precision::kSingle ? 4 : 8);
  }
  double bytes() const { return bytes_per_point() * point_steps(); }
  /// Of the whole run, and of the updates alone, which the bytes are counted for.
  double share_of_triad() const { return bytes() / solution.seconds / triad_bytes_per_second; }
  double share_of_triad_updating() const {
    return bytes() / solution.mean.updates() / triad_bytes_per_second;
  }
};

/// What is wrong with the answer, one line each; empty if nothing, or if it was not to be right.
std::vector<std::string> complaints(const Report& report);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace wave
