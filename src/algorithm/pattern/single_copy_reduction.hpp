// SPDX-License-Identifier: BSD-3-Clause
// Reduction within a node without a stop in shared memory: every rank combines one part of the message for
// all. It copies fragments of that part out of the others' buffers, next to where it combines them, and
// copies the result into the buffers of those who want it, while it is still in its cache.
//
//   rank 1 of 3, one fragment of its part     landing = v2, sum = landing; sum = v1 (+) sum
//                                             landing = v0; sum = landing (+) sum; sum -> outputs
//
// Nobody reads another's part of any contribution, so that results may lie where contributions lay, and a
// rank that wants the result combines its part where it belongs, unless that would overwrite its own value.
#pragma once

#include "algorithm/pattern/bracket.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/ring.hpp"
#include "algorithm/pattern/single_copy.hpp"

namespace weft {

// `takes_result(rank)`: whether it wants it in its output.
template <class TakesResult>
void reduce_by_single_copy(Builder& b, const Parameters& parameters, TakesResult takes_result) {
  const Ring ring{b.self(), b.rank_count()};
  const Bytes element = b.call().element_bytes;
  SingleCopy node(b);
  const ExposedRanges contributions = node.expose(b, b.contribution());
  std::vector<Range> results(static_cast<std::size_t>(b.rank_count()));
  for (int rank = 0; rank < b.rank_count(); ++rank)
    if (takes_result(rank))
      results[static_cast<std::size_t>(rank)] = node.expose_of(b, rank, b.bytes(), b.output());

  const auto my_part = [&](Range whole) { return even_part(whole, element, b.self(), b.rank_count()); };
  const Fragments cut(my_part(b.contribution()).size, parameters.fragment, element);
  const Bracket bracket = bracket_of(b.call(), parameters);
  const bool in_output = takes_result(b.self()) && (!b.in_place() || b.self() + 1 == b.rank_count());
  Range sums, landings, aside;
  if (cut.largest() > Bytes(0)) {  // not where there are fewer elements than ranks
    if (!in_output) sums = b.scratch(cut.largest());
    landings = b.scratch(cut.largest());
    aside = bracket.room(b, cut.largest());
  }
  node.exchange(b);
  for (int f = 0; f < cut.count(); ++f) {
    const auto fragment = [&](Range whole) { return my_part(whole).part(cut.offset(f), cut.size(f)); };
    const Range landing = landings.part(Bytes(0), cut.size(f));
    const Range sum = in_output ? fragment(b.output()) : sums.part(Bytes(0), cut.size(f));
    const auto put = [&](int rank, Range at) {
      b.copy(rank == b.self() ? fragment(b.contribution()) : fragment(contributions.of(rank)), at);
    };
    const auto value = [&](int rank) {
      if (rank == b.self()) return fragment(b.contribution());
      put(rank, landing);
      return landing;
    };
    bracket.evaluate(b, sum, aside, put, value);
    for (int step = in_output ? 1 : 0; step < ring.rank_count; ++step) {
      const int to = ring.back(-step);
      if (takes_result(to)) b.copy(sum, fragment(results[static_cast<std::size_t>(to)]));
    }
  }
  node.exchange(b);
}

// How many bytes the busiest rank combines.
inline Bytes bytes_reduced_by_single_copy(const Call& call) {
  const std::int64_t elements = call.bytes / call.element_bytes;
  return call.element_bytes * ((elements + call.rank_count - 1) / call.rank_count) * (call.rank_count - 1);
}

}  // namespace weft
