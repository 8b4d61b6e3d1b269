// SPDX-License-Identifier: BSD-3-Clause
// Gathered: reductions that bring all values to everybody first, over whatever hierarchy there is, and
// combine them there. So the hierarchy decides how values travel, and the bracket, which depends on the
// number of ranks alone, in which order they are combined.
#pragma once

#include "algorithm/builders.hpp"
#include "algorithm/pattern/bracket.hpp"

namespace weft {

// The values of all ranks, in rank order.
inline Range gather_values(Builder& b, const Parameters& parameters) {
  const Range all = b.scratch(b.bytes() * b.rank_count());
  const Builder::Frame frame(
      b, {.members = b.members(),
          .call = call_of_group(b.call(), Collective::kAllgather, b.rank_count(), 0, b.bytes()),
          .contribution = b.contribution(),
          .output = all});
  allgather::hierarchical(b, parameters);
  return all;
}

inline void combine_values(Builder& b, const Parameters& parameters, Range all) {
  const Bracket bracket = bracket_of(b.call(), parameters);
  const auto value = [&](int rank) { return all.part(b.bytes() * rank, b.bytes()); };
  bracket.evaluate(
      b, b.output(), bracket.room(b, b.bytes()), [&](int rank, Range into) { b.copy(value(rank), into); },
      value);
}

inline Cost gathered_cost_of(const Call& call, const Parameters& parameters) {
  const Call gathering = call_of_group(call, Collective::kAllgather, call.rank_count, 0, call.bytes);
  return allgather::hierarchical_cost(gathering, parameters) +
         Cost{.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace weft
