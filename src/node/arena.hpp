// SPDX-License-Identifier: BSD-3-Clause
// Arena: one rank's part of the node's segment, from which it gives memory to communicators. Only this rank
// takes and gives back; the memory itself is everybody's.
//
// First fit over what was given back, else from the end, which grows up to the arena's budget. Memory is
// reserved (see Segment) when it is taken for the first time, or by whoever uses it.
#pragma once

#include <map>
#include <optional>

#include "node/segment.hpp"

namespace weft::node {

class Arena {
 public:
  enum class Reserved : bool { kWhenTaken, kByUsers };
  Arena(const Segment& segment, Bytes begin, Bytes size, Reserved reserved = Reserved::kWhenTaken)
      : segment_(&segment), reserved_(reserved), end_(begin), limit_(begin + size) {}

  struct Piece {
    Bytes offset;  // in the segment
    bool is_new;   // never used before: all zero
  };
  // Takes memory; nothing if the budget, or the machine's memory, does not allow it.
  std::optional<Piece> take(Bytes size);
  void give_back(Bytes offset, Bytes size);
  Bytes taken() const { return taken_; }
  static Bytes whole_pages(Bytes size) { return (size + kPage - Bytes(1)) / kPage * kPage; }

 private:
  static constexpr Bytes kPage{4096};

  const Segment* segment_;
  Reserved reserved_;
  Bytes end_, limit_, taken_;
  std::map<Bytes, Bytes> free_;  // size by offset; neighbours are joined
};

}  // namespace weft::node
