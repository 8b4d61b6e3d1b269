// SPDX-License-Identifier: BSD-3-Clause
// Reduction within a node, fragment by fragment: of each fragment every rank combines one part for all, so
// that all ranks work at the same time, and the memory in use stays in the caches.
//
//   n = 3, one fragment    rank 0's piece   |    | v0 part 1 | v0 part 2 |     what others combine
//                          rank 1's piece   | v1 part 0 |    | v1 part 2 |
//                          rank 2's piece   | v2 part 0 | v2 part 1 |    |
//                          result           | part 0    | part 1    | part 2    |   by the rank of that
//
//   leave 0   | combine 0, leave 1   | take 0, combine 1, leave 2   | take 1, combine 2 …       | exchange
//
// Two sets of pieces in turn: what an exchange says is that its fragment's result is there, that the next
// fragment's values are, and that the result before it has been taken.
//
// The bracket is the same for every element and whatever the size.
#pragma once

#include "algorithm/pattern/bracket.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_buffer.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft {

class NodeParts {
 public:
  NodeParts(Builder& b, const Parameters& parameters)
      : b_(b),
        fragments_(b.bytes(), parameters.fragment, b.call().element_bytes),
        node_(b, 2 * (b.rank_count() + 1), fragments_.largest()),
        bracket_(bracket_of(b.call(), parameters)),
        aside_(bracket_.room(b, fragments_.largest())) {}

  // `takes_result`: whether this rank wants it in its output.
  void reduce(bool takes_result) {
    leave(0);
    node_.exchange(b_);
    for (int f = 0; f < fragments_.count(); ++f) {
      combine(f);
      if (f + 1 < fragments_.count()) leave(f + 1);
      node_.exchange(b_);
      if (takes_result) b_.copy(result(f), of_fragment(b_.output(), f));
    }
  }

 private:
  Range of_fragment(Range whole, int f) const { return whole.part(fragments_.offset(f), fragments_.size(f)); }
  Range part(Range fragment, int rank) const {
    return even_part(fragment, b_.call().element_bytes, rank, b_.rank_count());
  }
  Range piece(int f, int number) const {
    return node_.piece(f % 2 * (b_.rank_count() + 1) + number, fragments_.size(f));
  }
  Range result(int f) const { return piece(f, b_.rank_count()); }

  void leave(int f) {
    const Range mine = of_fragment(b_.contribution(), f);
    for (int rank = 0; rank < b_.rank_count(); ++rank)
      if (rank != b_.self() && part(mine, rank).size > Bytes(0))
        b_.copy(part(mine, rank), part(piece(f, b_.self()), rank));
  }
  void combine(int f) {
    const auto value = [&](int rank) {
      return part(rank == b_.self() ? of_fragment(b_.contribution(), f) : piece(f, rank), b_.self());
    };
    const Range into = part(result(f), b_.self());
    if (into.size == Bytes(0)) return;  // where there are fewer elements than ranks
    bracket_.evaluate(
        b_, into, aside_, [&](int rank, Range at) { b_.copy(value(rank), at); }, value);
  }

  Builder& b_;
  Fragments fragments_;
  NodeBuffer node_;
  Bracket bracket_;
  Range aside_;
};

// By the busiest rank: the last one, whose part is never the shorter where parts do not come out even.
inline Bytes bytes_reduced_by_parts(const Call& call, Bytes fragment) {
  const Fragments fragments(call.bytes, fragment, call.element_bytes);
  Bytes reduced;
  for (int f = 0; f < fragments.count(); ++f) {
    const std::int64_t elements = fragments.size(f) / call.element_bytes;
    reduced += call.element_bytes * ((elements + call.rank_count - 1) / call.rank_count);
  }
  return reduced * (call.rank_count - 1);
}

}  // namespace weft
