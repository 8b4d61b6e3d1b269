// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan: rank r's output holds the combination of the inputs of the ranks up to r, or before r:
// then rank 0 gets nothing.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kScanOracle = {
    .contribution = whole_input_or_output,
    .result = [](const Participant& self,
                 const Pairing&) { return one_piece(self.call.bytes, Rank(0), self.rank); },
    .may_be_in_place = on_any_rank,
    .waits_for_all = false,
};

const Oracle kExscanOracle = {
    .contribution = whole_input_or_output,
    .result =
        [](const Participant& self, const Pairing&) {
          if (self.rank == Rank(0)) return std::vector<Piece>{};
          return one_piece(self.call.bytes, Rank(0), Rank(self.rank.value - 1));
        },
    .may_be_in_place = on_any_rank,
    .waits_for_all = false,
};

}  // namespace weft
