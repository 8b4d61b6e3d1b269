// SPDX-License-Identifier: BSD-3-Clause
// Allgather: every output holds the inputs of all ranks, side by side in rank order. In place, a rank's block
// lies where it will stay.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kAllgatherOracle = {
    .contribution =
        [](const Participant& self) {
          const Bytes bytes = self.call.bytes;
          return Place{self.in_place, self.in_place ? bytes * self.rank.value : Bytes(0), bytes};
        },
    .result =
        [](const Participant& self, const Pairing&) {
          const Bytes bytes = self.call.bytes;
          std::vector<Piece> pieces;
          for (int from = 0; from < self.call.rank_count && bytes > Bytes(0); ++from)
            pieces.push_back({bytes * from, bytes, Rank(from), Rank(from), Bytes(0)});
          return pieces;
        },
    .may_be_in_place = on_any_rank,
    .waits_for_all = false,
};

}  // namespace weft
