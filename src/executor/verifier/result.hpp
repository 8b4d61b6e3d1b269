// SPDX-License-Identifier: BSD-3-Clause
// Results: does every rank end with what the oracle requires, and did all combine it alike?
#pragma once

#include <string>

#include "collective/oracle.hpp"
#include "executor/verifier/simulation.hpp"

namespace weft::verifier {

// kWrongResult, kOrderBroken, kBracketDiffers. The simulation has finished.
void check_results(std::span<const Schedule> schedules, const Simulation& run, Findings& findings);

// Reductions: the expression that the first element ends with that rank 0, the root, or of a scan the last
// rank has; "" if there is none.
std::string bracket_of(std::span<const Schedule> schedules, const Simulation& run);

// `run`, which lies inside `piece` of an output, holds what the piece requires (in any order).
bool is_required(const Expressions& expressions, const Piece& piece, const Run& run);

}  // namespace weft::verifier
