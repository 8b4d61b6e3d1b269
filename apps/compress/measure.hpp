// SPDX-License-Identifier: BSD-3-Clause
// Measure: the whole compression, timed, as often as asked for; and the result read back.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <optional>
#include <vector>

#include "input.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "stitcher.hpp"
#include "timers.hpp"

namespace compress {

/// One compression. Times are means over the ranks, `seconds` is the slowest rank's.
struct Run {
  double seconds = 0;
  Times mean;
  Totals totals;                ///< rank 0
  std::uint64_t bytes_out = 0;  ///< rank 0
  std::uint64_t rounds = 0;
  /// Rank 0: what was read back from the result; none where it was not checked.
  std::optional<std::uint64_t> plain_bytes_back, checksum_back;
  bool sound = false;  ///< Rank 0: the library that read it back found nothing wrong with it

  bool is_right() const {
    return sound && plain_bytes_back == totals.plain_bytes && checksum_back == totals.checksum.sum();
  }
};

/// All runs, by time. Collective; throws BadInput on all ranks.
std::vector<Run> compress_all(Input& input, OutputFile& output, const Options& options,
                              MPI_Comm communicator);

}  // namespace compress
