// SPDX-License-Identifier: BSD-3-Clause
// Runs a problem as often as asked for, with its files, and checks each answer.
#pragma once

#include <cstdint>
#include <vector>

#include "full_space.hpp"
#include "process_grid.hpp"
#include "standing.hpp"

namespace wave {

/// The run of median time, the lower one of two. Seismograms and errors of receivers on rank 0 only.
struct Solution {
  std::uint64_t fingerprint = 0;
  int steps = 0;       ///< that were computed; fewer than asked for after a restart
  double seconds = 0;  ///< slowest rank
  Times mean;          ///< over the ranks
  Times maximum;
  std::vector<double> seconds_all;  ///< of every repetition
  Seismograms seismograms;
  std::vector<ReceiverError> receiver_errors;
  StandingError standing_error;
  bool snapshots_written = true;
};

/// Collective; throws BadInput where a file cannot be read or written.
template <typename Real>
Solution solve(const Problem& problem, const Options& options, const Medium& medium, const ProcessGrid& grid);

}  // namespace wave
