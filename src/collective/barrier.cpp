// SPDX-License-Identifier: BSD-3-Clause
// Barrier: no data. A rank may leave once all have entered.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kBarrierOracle = {
    .contribution = [](const Participant&) { return Place{}; },
    .result = [](const Participant&, const Pairing&) { return std::vector<Piece>{}; },
    .may_be_in_place = on_any_rank,  // MPI_IN_PLACE changes nothing
    .waits_for_all = true,
};

}  // namespace weft
