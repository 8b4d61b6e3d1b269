// SPDX-License-Identifier: BSD-3-Clause
// Allreduce between equals, as a part of other algorithms: in few rounds, with few messages or many, or in
// parts; these go around a ring where that takes no more rounds.
#pragma once

#include "algorithm/catalog.hpp"
#include "algorithm/tiers.hpp"

namespace weft::allreduce {

inline const Algorithm& between(const Call& call, Aim aim) {
  switch (aim) {
    case Aim::kRounds: return recursive_k_ing;
    case Aim::kLatency: return gathered;
    case Aim::kBytes: break;
  }
  return call.commutative && call.rank_count <= 3 ? ring : reduce_scatter_allgather;
}

// What is gathered is combined as recursive k-ing does it, and so gives the same bits.
inline Parameters parameters_between(const Parameters& parameters, int tier, int members) {
  const TierParameters& own = parameters.tiers[static_cast<std::size_t>(tier)];
  if (own.aim != Aim::kLatency) return parameters_of(parameters, tier, members);
  return {.radix = own.radix == 0 ? parameters.radix : own.radix, .bracketing = Bracketing::kPinned};
}

}  // namespace weft::allreduce
