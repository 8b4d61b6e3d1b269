// SPDX-License-Identifier: BSD-3-Clause
// Allreduce: every output holds the combination of all inputs.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kAllreduceOracle = {
    .contribution = whole_input_or_output,
    .result = [](const Call& call,
                 Rank) { return one_piece(call.bytes, Rank(0), Rank(call.rank_count - 1)); },
    .may_be_in_place = [](const Call&, Rank) { return true; },
    .waits_for_all = false,
};

}  // namespace weft
