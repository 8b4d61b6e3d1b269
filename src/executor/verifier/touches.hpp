// SPDX-License-Identifier: BSD-3-Clause
// Touches: for each piece of a memory its last writer and the readers since. Whoever reads it must follow
// that writer, whoever writes it all of them; what came before these is then ordered as well, because paths
// join. Requires that those who touch it come in an order that all paths respect.
// Cost: O(log n) per touch and per piece touched, and every reader once more.
#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace weft::verifier {

template <class Who>
class Touches {
 public:
  explicit Touches(Bytes size) { pieces_[Bytes(0)] = {size, {}, {}}; }

  // `follows(earlier, begin, end)`: in [begin, end), `who` must come after `earlier`.
  template <class Follows>
  void touch(Bytes begin, Bytes end, const Who& who, bool writes, Follows follows) {
    for_pieces(begin, end, [&](Bytes from, Piece& piece) {
      if (piece.writer) follows(*piece.writer, from, piece.end);
      if (!writes) {
        if (piece.readers.empty() || piece.readers.back() != who) piece.readers.push_back(who);
        return;
      }
      for (const Who& reader : piece.readers)
        if (reader != who) follows(reader, from, piece.end);
      piece.readers.clear();
      piece.writer = who;
    });
  }

 private:
  struct Piece {
    Bytes end;
    std::optional<Who> writer;
    std::vector<Who> readers;
  };
  using Pieces = std::map<Bytes, Piece>;  // by their beginning

  typename Pieces::iterator split_at(Bytes offset) {
    const auto next = pieces_.lower_bound(offset);
    if (next != pieces_.end() && next->first == offset) return next;
    const auto cut = std::prev(next);
    if (cut->second.end <= offset) return next;
    const Piece tail = cut->second;
    cut->second.end = offset;
    return pieces_.emplace_hint(next, offset, tail);
  }

  template <class Visit>
  void for_pieces(Bytes begin, Bytes end, Visit visit) {
    if (begin == end) return;
    auto at = split_at(begin);
    for (const auto last = split_at(end); at != last; ++at) visit(at->first, at->second);
  }

  Pieces pieces_;
};

}  // namespace weft::verifier
