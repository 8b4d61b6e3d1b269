// SPDX-License-Identifier: BSD-3-Clause
// Reduce: the root's output holds the combination of all inputs. Only the root may contribute in place.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kReduceOracle = {
    .contribution = whole_input_or_output,
    .result =
        [](const Participant& self, const Pairing&) {
          return one_piece(output_bytes(self), Rank(0), Rank(self.call.rank_count - 1));
        },
    .may_be_in_place = on_the_root,
    .waits_for_all = false,
};

}  // namespace weft
