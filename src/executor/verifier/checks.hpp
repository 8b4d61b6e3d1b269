// SPDX-License-Identifier: BSD-3-Clause
// The verifier's static checks: each looks at the schedules as they lie there, and executes nothing.
#pragma once

#include <span>

#include "executor/verifier/findings.hpp"
#include "executor/verifier/links.hpp"

namespace weft::verifier {

// kMalformed, kOutOfBounds, kWritesInput, and what node-level tasks may name (kNodeTask). Returns false if
// later checks and executions would go astray.
bool check_structure(std::span<const Schedule> schedules, Findings& findings);

// kParcelsDiffer, and parcels that name what does not exist. Requires a call on as many ranks as schedules.
bool check_parcels(std::span<const Schedule> schedules, Findings& findings);

// Pairs each parcel that is sent with the one that receives it. Requires what check_parcels() calls sound.
Pairing pairing_of(std::span<const Schedule> schedules);

// kRace: accesses of one schedule to the same bytes that no path of edges orders. Requires a sound structure.
void check_races(const Schedule& schedule, Findings& findings);

// kNodeTask: accesses of different members to the same shared bytes that no node-level task orders. kRace,
// kExposed: the same of windows, which messages order.
void check_shared_races(std::span<const Schedule> schedules, const Links& links, Findings& findings);

}  // namespace weft::verifier
