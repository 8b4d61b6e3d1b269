// SPDX-License-Identifier: BSD-3-Clause
#include "collective/call.hpp"

namespace weft {

std::string_view name_of(Collective collective) {
  switch (collective) {
    case Collective::kBarrier: return "barrier";
    case Collective::kBcast: return "bcast";
    case Collective::kReduce: return "reduce";
    case Collective::kAllreduce: return "allreduce";
    case Collective::kAllgather: return "allgather";
    case Collective::kAlltoall: return "alltoall";
  }
  return "?";
}

std::optional<Collective> collective_named(std::string_view name) {
  for (const Collective c : kCollectives)
    if (name_of(c) == name) return c;
  return std::nullopt;
}

// Bcast has one buffer, and it is the output on every rank: the root's is full before the call.
Bytes input_bytes(const Call& call, Rank) {
  switch (call.collective) {
    case Collective::kBarrier:
    case Collective::kBcast: return Bytes(0);
    case Collective::kAlltoall: return call.bytes * call.rank_count;
    default: return call.bytes;
  }
}

Bytes output_bytes(const Call& call, Rank rank) {
  switch (call.collective) {
    case Collective::kBarrier: return Bytes(0);
    case Collective::kReduce: return rank == call.root ? call.bytes : Bytes(0);
    case Collective::kAllgather:
    case Collective::kAlltoall: return call.bytes * call.rank_count;
    default: return call.bytes;
  }
}

}  // namespace weft
