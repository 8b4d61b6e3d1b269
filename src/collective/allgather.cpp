// SPDX-License-Identifier: BSD-3-Clause
// Allgather: every output holds the inputs of all ranks, side by side in rank order. In place, a rank's block
// lies where it will stay.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kAllgatherOracle = {
    .contribution =
        [](const Call& call, Rank rank, bool in_place) {
          return Place{in_place, in_place ? call.bytes * rank.value : Bytes(0), call.bytes};
        },
    .result =
        [](const Call& call, Rank) {
          std::vector<Piece> pieces;
          for (int from = 0; from < call.rank_count && call.bytes > Bytes(0); ++from)
            pieces.push_back({call.bytes * from, call.bytes, Rank(from), Rank(from), Bytes(0)});
          return pieces;
        },
    .may_be_in_place = [](const Call&, Rank) { return true; },
    .waits_for_all = false,
};

}  // namespace weft
