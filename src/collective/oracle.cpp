// SPDX-License-Identifier: BSD-3-Clause
#include "collective/oracle.hpp"

namespace weft {

const Oracle& oracle_of(Collective collective) {
  switch (collective) {
    case Collective::kBarrier: return kBarrierOracle;
    case Collective::kBcast: return kBcastOracle;
    case Collective::kReduce: return kReduceOracle;
    case Collective::kAllreduce: return kAllreduceOracle;
    case Collective::kAllgather: return kAllgatherOracle;
    case Collective::kAlltoall: return kAlltoallOracle;
    case Collective::kGather: return kGatherOracle;
    case Collective::kScatter: return kScatterOracle;
    case Collective::kReduceScatterBlock:
    case Collective::kReduceScatter: return kReduceScatterOracle;
    case Collective::kScan: return kScanOracle;
    case Collective::kExscan: return kExscanOracle;
    default: return kParcelsOracle;
  }
}

Place whole_input_or_output(const Participant& self) {
  return {self.in_place, Bytes(0), self.in_place ? output_bytes(self) : input_bytes(self)};
}

std::vector<Piece> one_piece(Bytes size, Rank first, Rank last) {
  if (size == Bytes(0)) return {};
  return {{.offset = Bytes(0), .size = size, .first = first, .last = last, .from = Bytes(0)}};
}

bool on_any_rank(const Call&, Rank) { return true; }
bool on_the_root(const Call& call, Rank rank) { return rank == call.root; }

}  // namespace weft
