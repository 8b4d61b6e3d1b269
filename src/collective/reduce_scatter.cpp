// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter and reduce_scatter_block: a rank's output begins with its own part of the combination of all
// inputs. In place, the output holds the whole vector before.
#include "collective/oracle.hpp"

namespace weft {

namespace {

Parcel own_part(const Participant& self) {
  if (self.call.collective == Collective::kReduceScatterBlock)
    return {self.rank, self.call.bytes * self.rank.value, self.call.bytes};
  return self.parcels.outgoing[static_cast<std::size_t>(self.rank.value)];
}

}  // namespace

const Oracle kReduceScatterOracle = {
    .contribution = whole_input_or_output,
    .result =
        [](const Participant& self, const Pairing&) {
          const Parcel own = own_part(self);
          std::vector<Piece> pieces = one_piece(own.size, Rank(0), Rank(self.call.rank_count - 1));
          for (Piece& piece : pieces) piece.from = own.offset;
          return pieces;
        },
    .may_be_in_place = on_any_rank,
    .waits_for_all = false,
};

}  // namespace weft
