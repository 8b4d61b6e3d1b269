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

/// The flow at one time.
struct Moment {
  double time = 0;
  double energy = 0;
  double enstrophy = 0;
};

/// The Taylor-Green vortex; errors as vortex.hpp explains them.
struct VortexOutcome {
  double time_step = 0;
  double balance = 0;
  double transfer = 0;
  double divergence = 0;
  std::optional<double> decay;
  std::vector<Moment> history;
};

struct Report {
  Options options;
  ProcessGrid processes;
  int rank_count = 0;
  int planes_per_message = 0;
  std::vector<Run> runs;
  std::vector<TestOutcome> tests;       ///< empty where the exchanges are skipped
  std::optional<VortexOutcome> vortex;  ///< none where the exchanges are skipped
  std::vector<double> slice;            ///< |vorticity| of one z plane, [y][x]

  /// The one of median time (the faster one of two).
  const Run& median() const;
  /// Of what is exact but for rounding.
  double tolerance() const { return options.is_single ? 1e-5 : 1e-12; }
  bool is_vortex() const { return options.taylor_green.steps > 0; }
  /// Nothing where nothing was checked.
  std::optional<double> error() const;
};

/// Of the energy balance, relative to what is dissipated: as good as the time steps are.
inline constexpr double kBalanceTolerance = 1e-4;

/// What is wrong with the answers, one line each; empty if nothing.
std::vector<std::string> complaints(const Report& report);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace fft3d
