// SPDX-License-Identifier: BSD-3-Clause
// Bcast: the root's output, full before the call, is everybody's output after it.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kBcastOracle = {
    .contribution =
        [](const Call& call, Rank rank, bool) {
          return Place{true, Bytes(0), rank == call.root ? call.bytes : Bytes(0)};
        },
    .result = [](const Call& call, Rank) { return one_piece(call.bytes, call.root, call.root); },
    .may_be_in_place = [](const Call&, Rank) { return true; },  // and changes nothing
    .waits_for_all = false,
};

}  // namespace weft
