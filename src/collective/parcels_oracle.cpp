// SPDX-License-Identifier: BSD-3-Clause
// The oracle of the collectives with parcels, except reduce_scatter: every incoming parcel holds what its
// sender has in the outgoing one that it is paired with.
#include "collective/oracle.hpp"

namespace weft {

const Oracle kParcelsOracle = {
    .contribution =
        [](const Participant& self) {
          const bool in_output = self.in_place && self.call.collective != Collective::kScatterv;
          return Place{in_output, Bytes(0), in_output ? output_bytes(self) : input_bytes(self)};
        },
    .result =
        [](const Participant& self, const Pairing& pairing) {
          std::vector<Piece> pieces;
          for (std::size_t i = 0; i < self.parcels.incoming.size(); ++i) {
            const Parcel& parcel = self.parcels.incoming[i];
            const Parcel* origin = pairing.origin(self.rank, i);
            if (origin == nullptr || parcel.size == Bytes(0)) continue;
            pieces.push_back({parcel.offset, parcel.size, parcel.peer, parcel.peer, origin->offset});
          }
          return pieces;
        },
    .may_be_in_place =
        [](const Call& call, Rank rank) {
          if (is_neighborly(call.collective)) return false;
          return !is_rooted(call.collective) || rank == call.root;
        },
    .waits_for_all = false,
};

}  // namespace weft
