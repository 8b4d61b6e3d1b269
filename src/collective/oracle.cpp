// SPDX-License-Identifier: BSD-3-Clause
#include "collective/oracle.hpp"

#include <cassert>

namespace weft {

const Oracle& oracle_of(Collective collective) {
  switch (collective) {
    case Collective::kBarrier: return kBarrierOracle;
    case Collective::kBcast: return kBcastOracle;
    case Collective::kReduce: return kReduceOracle;
    case Collective::kAllreduce: return kAllreduceOracle;
    case Collective::kAllgather: return kAllgatherOracle;
    case Collective::kAlltoall: return kAlltoallOracle;
  }
  assert(false && "a collective without an oracle");
  return kBarrierOracle;
}

Place whole_input_or_output(const Call& call, Rank rank, bool in_place) {
  return {in_place, Bytes(0), in_place ? output_bytes(call, rank) : input_bytes(call, rank)};
}

std::vector<Piece> one_piece(Bytes size, Rank first, Rank last) {
  if (size == Bytes(0)) return {};
  return {{.offset = Bytes(0), .size = size, .first = first, .last = last, .from = Bytes(0)}};
}

}  // namespace weft
