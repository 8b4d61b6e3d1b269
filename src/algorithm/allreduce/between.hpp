// SPDX-License-Identifier: BSD-3-Clause
// Allreduce between equals, as a part of other algorithms: in few rounds, or in parts; these go around a ring
// where that takes no more rounds.
#pragma once

#include "algorithm/catalog.hpp"

namespace weft::allreduce {

inline const Algorithm& between(const Call& call, Aim aim) {
  if (aim == Aim::kRounds) return recursive_k_ing;
  return call.commutative && call.rank_count <= 3 ? ring : reduce_scatter_allgather;
}

}  // namespace weft::allreduce
