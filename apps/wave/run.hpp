// SPDX-License-Identifier: BSD-3-Clause
// From options to a report: the grid, the medium, the problem, its solution.
#pragma once

#include "report.hpp"

namespace wave {

/// Fills in what the report does not know yet. Collective; throws BadInput.
void run(Report& report);

}  // namespace wave
