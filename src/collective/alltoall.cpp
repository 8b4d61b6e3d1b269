// SPDX-License-Identifier: BSD-3-Clause
// Alltoall: block s of rank r's output is block r of rank s's contribution, which has one block per rank.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kAlltoallOracle = {
    .contribution = whole_input_or_output,
    .result =
        [](const Call& call, Rank rank) {
          std::vector<Piece> pieces;
          for (int from = 0; from < call.rank_count && call.bytes > Bytes(0); ++from)
            pieces.push_back(
                {call.bytes * from, call.bytes, Rank(from), Rank(from), call.bytes * rank.value});
          return pieces;
        },
    .may_be_in_place = [](const Call&, Rank) { return true; },
    .waits_for_all = false,
};

}  // namespace weft
