// SPDX-License-Identifier: BSD-3-Clause
// Allreduce: every output holds the combination of all inputs.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kAllreduceOracle = {
    .contribution = whole_input_or_output,
    .result =
        [](const Participant& self, const Pairing&) {
          return one_piece(self.call.bytes, Rank(0), Rank(self.call.rank_count - 1));
        },
    .may_be_in_place = on_any_rank,
    .waits_for_all = false,
};

}  // namespace weft
