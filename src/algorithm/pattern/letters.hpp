// SPDX-License-Identifier: BSD-3-Clause
// Letters: the parcels of one rank as ranges of its buffers.
#pragma once

#include <vector>

#include "schedule/builder.hpp"

namespace weft {

// A block and whom it goes to, or comes from.
struct Letter {
  int peer;
  Range block;
};

inline std::vector<Letter> letters_in(const std::vector<Parcel>& parcels, Range buffer) {
  std::vector<Letter> letters;
  letters.reserve(parcels.size());
  for (const Parcel& parcel : parcels)
    letters.push_back({parcel.peer.value, buffer.part(parcel.offset, parcel.size)});
  return letters;
}

// Copies what goes to others into memory that nothing overwrites: with MPI_IN_PLACE an alltoallv receives
// where its outgoing blocks lie.
inline void copy_away(Builder& b, std::vector<Letter>& outgoing) {
  Bytes total;
  for (const Letter& letter : outgoing) total += letter.peer == b.self() ? Bytes(0) : letter.block.size;
  const Range away = b.scratch(total);
  Bytes at;
  for (Letter& letter : outgoing) {
    if (letter.peer == b.self()) continue;
    const Range kept = away.part(at, letter.block.size);
    b.copy(letter.block, kept);
    letter.block = kept;
    at += kept.size;
  }
}

inline bool overwrites_outgoing(const Builder& b) {
  const Collective collective = b.call().collective;
  return b.in_place() && (collective == Collective::kAlltoallv || collective == Collective::kAlltoallw);
}

}  // namespace weft
