// SPDX-License-Identifier: BSD-3-Clause
// Scatter: a rank's output holds its block of the root's input, which has one block per rank. In place, the
// root's own block stays in its input.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kScatterOracle = {
    .contribution =
        [](const Participant& self) {
          return Place{false, Bytes(0), input_bytes(self)};
        },
    .result =
        [](const Participant& self, const Pairing&) {
          std::vector<Piece> pieces = one_piece(output_bytes(self), self.call.root, self.call.root);
          for (Piece& piece : pieces) piece.from = self.call.bytes * self.rank.value;
          return pieces;
        },
    .may_be_in_place = on_the_root,
    .waits_for_all = false,
};

}  // namespace weft
