// SPDX-License-Identifier: BSD-3-Clause
#include "collective/participant.hpp"

#include <algorithm>

namespace weft {

namespace {

// What a rank contributes, without regard to where.
Bytes contribution_bytes(const Participant& self) {
  const Call& call = self.call;
  if (has_parcels(call.collective)) return extent_of(self.parcels.outgoing);
  switch (call.collective) {
    case Collective::kBarrier:
    case Collective::kBcast: return Bytes(0);
    case Collective::kAlltoall:
    case Collective::kReduceScatterBlock: return call.bytes * call.rank_count;
    case Collective::kScatter: return self.rank == call.root ? call.bytes * call.rank_count : Bytes(0);
    default: return call.bytes;
  }
}

Bytes result_bytes(const Participant& self) {
  const Call& call = self.call;
  if (has_parcels(call.collective)) return extent_of(self.parcels.incoming);
  switch (call.collective) {
    case Collective::kBarrier: return Bytes(0);
    case Collective::kReduce: return self.rank == call.root ? call.bytes : Bytes(0);
    case Collective::kExscan: return self.rank == Rank(0) ? Bytes(0) : call.bytes;
    case Collective::kGather: return self.rank == call.root ? call.bytes * call.rank_count : Bytes(0);
    case Collective::kAllgather:
    case Collective::kAlltoall: return call.bytes * call.rank_count;
    default: return call.bytes;
  }
}

// In place the output holds what the rank contributes, which may be more than it gets.
bool begins_full(Collective c) {
  return c == Collective::kReduceScatterBlock || c == Collective::kReduceScatter || c == Collective::kExscan;
}

}  // namespace

Bytes input_bytes(const Participant& self) {
  return self.in_place && !scatters(self.call.collective) ? Bytes(0) : contribution_bytes(self);
}

Bytes output_bytes(const Participant& self) {
  if (!self.in_place) return result_bytes(self);
  if (scatters(self.call.collective)) return Bytes(0);
  if (!begins_full(self.call.collective)) return result_bytes(self);
  return std::max(result_bytes(self), contribution_bytes(self));
}

}  // namespace weft
