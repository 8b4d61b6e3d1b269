// SPDX-License-Identifier: BSD-3-Clause
// The text form of a schedule: what explain prints, golden tests keep and bug reports carry. parse(print(s))
// is s.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schedule/schedule.hpp"

namespace weft {

std::string print_schedule(const Schedule& schedule);

// Errors name line and column. Accepts several schedules (one per rank) one after another.
Result<std::vector<Schedule>> parse_schedules(std::string_view text);

}  // namespace weft
