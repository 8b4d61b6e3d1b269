// SPDX-License-Identifier: BSD-3-Clause
// Reduction within a node, fragment by fragment: of each fragment every rank combines one part for all, so
// that all ranks work at the same time, and the memory in use stays in the caches.
//
//   n = 3, one fragment    rank 0's piece   |    | v0 part 1 | v0 part 2 |     what others combine
//                          rank 1's piece   | v1 part 0 |    | v1 part 2 |
//                          rank 2's piece   | v2 part 0 | v2 part 1 |    |
//        exchange          result           | part 0    | part 1    | part 2    |   by the rank of that
//        number exchange          everybody who wants the result takes it
//
// The bracket is Fold's, for every element and whatever the size.
#pragma once

#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_buffer.hpp"

namespace weft {

// `takes_result`: whether this rank wants it in its output.
inline void reduce_by_parts(Builder& b, Bytes fragment, bool takes_result) {
  const int n = b.rank_count();
  const Bytes element = b.call().element_bytes;
  const Fragments fragments(b.bytes(), fragment, element);
  const NodeBuffer node(b, n + 1, fragments.largest());
  for (int f = 0; f < fragments.count(); ++f) {
    const Bytes size = fragments.size(f);
    const auto begin = [&](int rank) { return size / element * rank / n * element; };
    const auto part = [&](Range whole, int rank) {
      return whole.part(begin(rank), begin(rank + 1) - begin(rank));
    };
    const Range mine = b.contribution().part(fragments.offset(f), size);
    const Range result = node.piece(n, size);
    for (int rank = 0; rank < n; ++rank)
      if (rank != b.self() && part(mine, rank).size > Bytes(0))
        b.copy(part(mine, rank), part(node.piece(b.self(), size), rank));
    node.exchange(b);
    const auto value = [&](int rank) {
      return part(rank == b.self() ? mine : node.piece(rank, size), b.self());
    };
    const bool has_part =
        part(mine, b.self()).size > Bytes(0);  // not where there are fewer elements than ranks
    if (has_part) b.copy(value(n - 1), part(result, b.self()));
    for (int rank = n - 2; rank >= 0 && has_part; --rank) b.reduce(value(rank), part(result, b.self()));
    node.exchange(b);
    if (takes_result) b.copy(result, b.output().part(fragments.offset(f), size));
  }
}

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
