// SPDX-License-Identifier: BSD-3-Clause
#include "collective/call.hpp"

namespace weft {

Call call_of_group(const Call& call, Collective collective, int size, int root, Bytes bytes) {
  Call group{.collective = collective, .rank_count = size, .bytes = bytes};
  if (is_rooted(collective)) group.root = Rank(root);
  if (!is_reduction(collective)) return group;
  group.element_bytes = call.element_bytes;
  group.commutative = call.commutative;
  group.user_defined = call.user_defined;
  return group;
}

std::string_view name_of(Collective collective) {
  switch (collective) {
    case Collective::kBarrier: return "barrier";
    case Collective::kBcast: return "bcast";
    case Collective::kReduce: return "reduce";
    case Collective::kAllreduce: return "allreduce";
    case Collective::kAllgather: return "allgather";
    case Collective::kAlltoall: return "alltoall";
    case Collective::kGather: return "gather";
    case Collective::kScatter: return "scatter";
    case Collective::kReduceScatterBlock: return "reduce_scatter_block";
    case Collective::kReduceScatter: return "reduce_scatter";
    case Collective::kScan: return "scan";
    case Collective::kExscan: return "exscan";
    case Collective::kGatherv: return "gatherv";
    case Collective::kScatterv: return "scatterv";
    case Collective::kAllgatherv: return "allgatherv";
    case Collective::kAlltoallv: return "alltoallv";
    case Collective::kAlltoallw: return "alltoallw";
    case Collective::kNeighborAllgather: return "neighbor_allgather";
    case Collective::kNeighborAllgatherv: return "neighbor_allgatherv";
    case Collective::kNeighborAlltoall: return "neighbor_alltoall";
    case Collective::kNeighborAlltoallv: return "neighbor_alltoallv";
    case Collective::kNeighborAlltoallw: return "neighbor_alltoallw";
  }
  return "?";
}

std::optional<Collective> collective_named(std::string_view name) {
  for (const Collective c : kCollectives)
    if (name_of(c) == name) return c;
  return std::nullopt;
}

}  // namespace weft
