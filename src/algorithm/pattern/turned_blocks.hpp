// SPDX-License-Identifier: BSD-3-Clause
// TurnedBlocks: one block per rank, in rank order, seen from a root: position p is the block of rank root +
// p. Positions side by side are at most two ranges, for they may go over the end.
//
//   5 ranks, root 3      position   0 1 | 2 3 4
//                        rank       3 4 | 0 1 2
#pragma once

#include "algorithm/pattern/rotation.hpp"
#include "schedule/builder.hpp"

namespace weft {

class TurnedBlocks {
 public:
  TurnedBlocks(Builder& b, Range all) : b_(b), all_(all), rotation_{b.call().root.value, b.rank_count()} {}

  bool is_one_range(int first, int end) const {
    return rotation_.rank_at(first) + end - first <= b_.rank_count();
  }

  // The positions first to before end, which are one range.
  Range range(int first, int end) const {
    const int rank = rotation_.rank_at(first);
    return b_.blocks(all_, rank, rank + end - first);
  }

  // copy_from() and copy_to() move the blocks of these positions from and to `packed`, where they lie side by
  // side.
  void copy_from(Range packed, int first, int end) const {
    for_ranges(packed, first, end, [&](Range part, Range here) { b_.copy(part, here); });
  }
  void copy_to(Range packed, int first, int end) const {
    for_ranges(packed, first, end, [&](Range part, Range here) { b_.copy(here, part); });
  }

 private:
  template <class Visit>
  void for_ranges(Range packed, int first, int end, Visit visit) const {
    if (is_one_range(first, end)) return visit(packed, range(first, end));
    const int turn = rotation_.position_of(0);
    const Range low = range(first, turn);
    visit(packed.part(Bytes(0), low.size), low);
    visit(packed.part(low.size, packed.size - low.size), range(turn, end));
  }

  Builder& b_;
  Range all_;
  Rotation rotation_;
};

}  // namespace weft
