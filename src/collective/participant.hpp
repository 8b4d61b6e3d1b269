// SPDX-License-Identifier: BSD-3-Clause
// Participant: one rank of a call, with what is its own affair; and so how large the caller's two buffers are
// there.
#pragma once

#include "collective/parcels.hpp"

namespace weft {

inline const Parcels kNoParcels;

struct Participant {
  const Call& call;
  Rank rank;
  bool in_place = false;
  const Parcels& parcels = kNoParcels;
};

// In place there is no input, but at the root of a scatter, which keeps its own block there and has no
// output. Bcast has one buffer, and it is the output on every rank: the root's is full before the call. Of a
// reduce_scatter in place the output is as large as the vector that it holds before; the result is at its
// beginning.
Bytes input_bytes(const Participant& self);
Bytes output_bytes(const Participant& self);

}  // namespace weft
