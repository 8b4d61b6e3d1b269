// SPDX-License-Identifier: BSD-3-Clause
// Alltoall: block s of rank r's output is block r of rank s's contribution, which has one block per rank.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kAlltoallOracle = {
    .contribution = whole_input_or_output,
    .result =
        [](const Participant& self, const Pairing&) {
          const Bytes bytes = self.call.bytes;
          std::vector<Piece> pieces;
          for (int from = 0; from < self.call.rank_count && bytes > Bytes(0); ++from)
            pieces.push_back({bytes * from, bytes, Rank(from), Rank(from), bytes * self.rank.value});
          return pieces;
        },
    .may_be_in_place = on_any_rank,
    .waits_for_all = false,
};

}  // namespace weft
