// SPDX-License-Identifier: BSD-3-Clause
// Verifier: proves that the schedules of all ranks of one call do what the collective's oracle says, or lists
// everything that is wrong. It executes nothing: bytes are tracked as symbolic contributions.
#pragma once

#include <span>

#include "executor/verifier/report.hpp"

namespace weft {

// schedules[r] is rank r's; all of one call.
Report verify(std::span<const Schedule> schedules);

}  // namespace weft
