// SPDX-License-Identifier: BSD-3-Clause
// The picture of a collective: one lane per rank, time to the right, messages as arrows between the lanes,
// local work as boxes on them. One self-contained SVG file that follows the reader's light or dark theme.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

struct SvgOptions {
  // What to write at the lanes: [column][rank], column c before round c. Empty: nothing.
  std::vector<std::vector<std::string>> holds;
};

// schedules[r] is rank r's; all of one call. Damaged schedules are drawn as far as they go, and what can
// never happen is listed below the lanes.
std::string svg(std::span<const Schedule> schedules, const SvgOptions& options = {});

}  // namespace weft
