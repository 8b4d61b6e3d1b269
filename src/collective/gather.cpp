// SPDX-License-Identifier: BSD-3-Clause
// Gather: the root's output holds the inputs of all ranks, side by side in rank order. In place, the root's
// own block lies where it will stay.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kGatherOracle = {
    .contribution =
        [](const Participant& self) {
          const Bytes bytes = self.call.bytes;
          return Place{self.in_place, self.in_place ? bytes * self.rank.value : Bytes(0), bytes};
        },
    .result =
        [](const Participant& self, const Pairing& pairing) {
          return self.rank == self.call.root ? kAllgatherOracle.result(self, pairing) : std::vector<Piece>{};
        },
    .may_be_in_place = on_the_root,
    .waits_for_all = false,
};

}  // namespace weft
