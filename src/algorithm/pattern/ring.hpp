// SPDX-License-Identifier: BSD-3-Clause
// Ring: every rank sends to its right neighbour and receives from its left one; blocks wander to the right.
//
//   -> 0 -> 1 -> 2 -> … -> n-1 ->        what arrives in a step was at the left neighbour one step earlier
#pragma once

#include "schedule/schedule.hpp"

namespace weft {

struct Ring {
  int self;
  int rank_count;

  int left() const { return back(1); }
  int right() const { return back(-1); }
  // The rank, or the block, so many places to the left; steps from -rank_count to rank_count.
  int back(int steps) const { return (self + rank_count - steps) % rank_count; }
};

// The parts first to before end, of `count` even parts of `whole`, cut between elements; some are empty if
// there are too few elements.
inline Range even_parts(Range whole, Bytes element, int first, int end, int count) {
  const std::int64_t elements = whole.size / element;
  const auto begin_of = [&](int index) {
    return element * (elements / count * index + elements % count * index / count);
  };
  return whole.part(begin_of(first), begin_of(end) - begin_of(first));
}
inline Range even_part(Range whole, Bytes element, int part, int count) {
  return even_parts(whole, element, part, part + 1, count);
}

}  // namespace weft
