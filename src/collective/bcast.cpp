// SPDX-License-Identifier: BSD-3-Clause
// Bcast: the root's output, full before the call, is everybody's output after it.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kBcastOracle = {
    .contribution =
        [](const Participant& self) {
          return Place{true, Bytes(0), self.rank == self.call.root ? self.call.bytes : Bytes(0)};
        },
    .result = [](const Participant& self,
                 const Pairing&) { return one_piece(self.call.bytes, self.call.root, self.call.root); },
    .may_be_in_place = on_any_rank,  // MPI_IN_PLACE changes nothing
    .waits_for_all = false,
};

}  // namespace weft
