// SPDX-License-Identifier: BSD-3-Clause
// Build: from a call, an algorithm and its parameters to the schedule of one rank.
#pragma once

#include <string>

#include "algorithm/algorithm.hpp"
#include "schedule/schedule.hpp"

namespace weft {

// A rank alone moves nothing, nor does a call without bytes. But a barrier travels without bytes, and where
// no rank knows all sizes each one sees for itself.
bool nothing_travels(const Call& call);

// The name with the parameters that matter: "recursive_k_ing radix=3".
std::string label_of(const Algorithm& algorithm, const Call& call, const Parameters& parameters);

// MPI_IN_PLACE means something only where a rank has both a contribution and a place for it.
bool can_be_in_place(const Call& call, Rank self);

// One rank's schedule, with its parcels where the collective has them. Requires algorithm.eligible(call) and
// parameters.radix >= 2. Nothing travels when there is nothing to move: zero bytes (but for the barrier) and
// one rank give schedules without messages.
Schedule build(const Algorithm& algorithm, const Call& call, const Parameters& parameters, Rank self,
               bool in_place, Parcels parcels = {}, Builder::Edges edges = Builder::Edges::kByAccess);

// As build(), for people to look at and for tests: with example_parcels() where the collective has parcels.
Schedule build_example(const Algorithm& algorithm, const Call& call, const Parameters& parameters, Rank self,
                       bool in_place);

// What the busiest rank pays for the whole call: nothing where nothing travels.
Cost cost_of(const Algorithm& algorithm, const Call& call, const Parameters& parameters);

}  // namespace weft
