// SPDX-License-Identifier: BSD-3-Clause
// Touches: for each piece of a memory its last writer and the readers since. Whoever reads it must follow
// that writer, whoever writes it all of them; what came before these is then ordered as well, because paths
// join. Requires that those who touch it come in an order that all paths respect.
// Cost: O(log n) per touch and per piece touched, and every reader once more.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace weft::verifier {

template <class Who>
class Touches {
 public:
  explicit Touches(Bytes size) { pieces_[Bytes(0)] = {.end = size}; }

  // `follows(earlier, begin, end)`: in [begin, end), `who` must come after `earlier`.
  template <class Follows>
  void touch(Bytes begin, Bytes end, const Who& who, bool writes, Follows follows) {
    for_pieces(begin, end, [&](Bytes from, Piece& piece) {
      if (piece.writer) follows(*piece.writer, from, piece.end);
      if (!writes) {
        if (piece.readers != 0 && readers_[piece.readers].who == who) return;
        readers_.push_back({who, piece.readers});
        piece.readers = static_cast<std::uint32_t>(readers_.size() - 1);
        return;
      }
      for (std::uint32_t place = piece.readers; place != 0; place = readers_[place].before)
        if (readers_[place].who != who) follows(readers_[place].who, from, piece.end);
      piece.readers = 0;
      piece.writer = who;
    });
  }

 private:
  struct Piece {
    Bytes end;
    std::optional<Who> writer;
    std::uint32_t readers = 0;  // the last one's place in readers_
  };
  // Pieces that were cut from one share those who read both, so that a cut copies no list.
  struct Reader {
    Who who;
    std::uint32_t before;  // the place of the one before it; 0: it is the first
  };
  using Pieces = std::map<Bytes, Piece>;  // by their beginning

  // What lies behind `offset` becomes a piece of its own.
  typename Pieces::iterator cut(typename Pieces::iterator at, Bytes offset) {
    const Piece tail = at->second;
    at->second.end = offset;
    return pieces_.emplace_hint(std::next(at), offset, tail);
  }

  template <class Visit>
  void for_pieces(Bytes begin, Bytes end, Visit visit) {
    if (begin == end) return;
    auto at = std::prev(pieces_.upper_bound(begin));
    if (at->first < begin) at = cut(at, begin);
    for (; at != pieces_.end() && at->first < end; ++at) {
      if (at->second.end > end) cut(at, end);
      visit(at->first, at->second);
    }
  }

  Pieces pieces_;
  std::vector<Reader> readers_{1};  // 0 is nobody
};

}  // namespace weft::verifier
