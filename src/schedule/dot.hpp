// SPDX-License-Identifier: BSD-3-Clause
// The graph of a collective for Graphviz: one cluster per rank, edges as lines, messages as dashed lines.
#pragma once

#include <span>
#include <string>

#include "schedule/schedule.hpp"

namespace weft {

// schedules[r] is rank r's; all of one call.
std::string dot(std::span<const Schedule> schedules);

}  // namespace weft
