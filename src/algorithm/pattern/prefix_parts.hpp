// SPDX-License-Identifier: BSD-3-Clause
// A long scan within a node, fragment by fragment. Everybody leaves its value, adds up one part
// of each fragment for all, from rank to rank, and takes what belongs to it. Every byte is copied twice and
// combined once, and all do the same work.
//
//   n = 3, one fragment, cells      | v0 part 0     | v0 part 1     | v0 part 2     |
//                                   | v0+v1 part 0  | v0+v1 part 1  | v0+v1 part 2  |
//                                   | …             | …             | …             |
//                                     by rank 0       by rank 1       by rank 2
//
//   leave 0   | leave 1, add up 0   | leave 2, add up 1, take 0   | …
//
// Three sets of cells in turn: one that is left, one that is added up, and one that is taken from.
#pragma once

#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_memory.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft {

// How many bytes a rank combines at most: the last one, which has one of the largest parts of each fragment.
inline Bytes bytes_reduced_by_prefix_parts(const Call& call, const Parameters& parameters, int values) {
  const Fragments cut(call.bytes, parameters.fragment, call.element_bytes);
  const auto part_of = [&](Bytes fragment) {
    return even_part({kOutput, Bytes(0), fragment}, call.element_bytes, call.rank_count - 1, call.rank_count)
        .size;
  };
  if (cut.count() == 0) return Bytes(0);
  const Bytes parts = part_of(cut.largest()) * (cut.count() - 1) + part_of(cut.size(cut.count() - 1));
  return parts * std::max(values - 1, 0);
}

// Each rank takes the sum of the ranks up to the one so many places before it; who has none before it,
// nothing.
inline void prefix_by_parts(Builder& b, const Parameters& parameters, int places) {
  const int n = b.rank_count(), from = b.self() - places, values = n - places;
  const Bytes element = b.call().element_bytes;
  const Fragments cut(b.bytes(), parameters.fragment, element);
  const NodeMemory node(b, 3 * n, cut.largest());
  const auto cell = [&](int f, int rank) { return node.cell(f % 3 * n + rank, cut.size(f)); };
  const auto my_part = [&](Range whole) { return even_part(whole, element, b.self(), n); };
  for (int f = 0; f < cut.count() + 2; ++f) {
    const int left = f, added = f - 1, taken = f - 2;
    if (taken >= 0 && from >= 0) b.copy(cell(taken, from), cut.of(b.output(), taken));
    if (left < cut.count() && b.self() < values) b.copy(cut.of(b.contribution(), left), cell(left, b.self()));
    for (int rank = 1; added >= 0 && added < cut.count() && rank < values; ++rank)
      b.reduce(my_part(cell(added, rank - 1)), my_part(cell(added, rank)));
    if (f <= cut.count()) node.exchange();
  }
}

}  // namespace weft
