// SPDX-License-Identifier: BSD-3-Clause
// What a compression has to say, as a table for people and as one JSON object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"
#include "options.hpp"

namespace compress {

struct Report {
  Options options;
  int rank_count = 0;
  bool from_stream = false;
  std::uint64_t input_bytes = 0;  ///< of a file; what a stream had, the runs know
  std::vector<Run> runs;          ///< by time

  /// The one of median time; the lower one of two.
  const Run& median() const { return runs[(runs.size() - 1) / 2]; }
  std::uint64_t bytes_in() const { return from_stream ? median().totals.plain_bytes : input_bytes; }
  /// None where it was not checked.
  std::optional<bool> right() const;
};

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace compress
