// SPDX-License-Identifier: BSD-3-Clause
// What a run tells: tables for people, one JSON object for programs. Called on rank 0 only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "times.hpp"

namespace fft3d {

/// The worst errors over variables and repetitions, with one kind of field.
struct TestOutcome {
  std::string field;
  double spectrum = 0;
  double parseval = 0;
  double round_trip = 0;

  double worst() const;
};

/// One timed repetition; the slowest rank's seconds, and where they went in the mean over the ranks.
struct Run {
  double seconds = 0;
  double forward = 0;
  double backward = 0;
  Times mean;
};

struct Report {
  Options options;
  ProcessGrid processes;
  int rank_count = 0;
  int planes_per_message = 0;
  std::vector<Run> runs;
  std::vector<TestOutcome> tests;  ///< empty where the exchanges are skipped

  /// The one of median time (the faster one of two).
  const Run& median() const;
  double tolerance() const { return options.is_single ? 1e-5 : 1e-12; }
  /// Nothing where nothing was checked.
  std::optional<double> error() const;
};

/// What is wrong with the answers, one line each; empty if nothing.
std::vector<std::string> complaints(const Report& report);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace fft3d
