// SPDX-License-Identifier: BSD-3-Clause
// Call: what all ranks of one collective call have in common, and therefore all that may decide how it runs.
//
// Local circumstances (MPI_IN_PLACE, datatypes, addresses) are not here: they may differ between ranks and
// must never change which messages travel (drop_in rule 5). Nor are the sizes that a rank of a v-, w- or
// neighbour form knows for itself: these are its Parcels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/types.hpp"

namespace weft {

enum class Collective : std::uint8_t {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kAllgather,
  kAlltoall,
  kGather,
  kScatter,
  kReduceScatterBlock,
  kReduceScatter,
  kScan,
  kExscan,
  kGatherv,
  kScatterv,
  kAllgatherv,
  kAlltoallv,
  kAlltoallw,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
};

inline constexpr auto kCollectives = [] {
  std::array<Collective, static_cast<std::size_t>(Collective::kNeighborAlltoallw) + 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Collective>(i);
  return all;
}();

struct Call {
  Collective collective = Collective::kBarrier;
  int rank_count = 1;
  Rank root{0};  // of the rooted ones; else 0
  // Packed size of one rank's block: the whole message of bcast, reduce, allreduce, scan and exscan; what one
  // rank contributes (gather, allgather), gets (scatter, reduce_scatter_block) or sends to one other
  // (alltoall). Of allgatherv and reduce_scatter, whose counts every rank has: all blocks together. Of the
  // other v-, w- and neighbour forms: 0, for no rank knows what others have; in examples no block is larger.
  Bytes bytes{0};
  Bytes element_bytes{1};     // reductions: the smallest piece the operator takes; else 1
  bool commutative = true;    // reductions: the operator may be applied in any order
  bool user_defined = false;  // reductions: the operator is the program's, and nobody knows how long it takes

  auto operator<=>(const Call&) const = default;
};

constexpr bool is_rooted(Collective c) {
  return c == Collective::kBcast || c == Collective::kReduce || c == Collective::kGather ||
         c == Collective::kScatter || c == Collective::kGatherv || c == Collective::kScatterv;
}
constexpr bool is_reduction(Collective c) {
  return c == Collective::kReduce || c == Collective::kAllreduce || c == Collective::kReduceScatterBlock ||
         c == Collective::kReduceScatter || c == Collective::kScan || c == Collective::kExscan;
}
constexpr bool scatters(Collective c) { return c == Collective::kScatter || c == Collective::kScatterv; }
// Blocks differ in size, and a rank has a list of its own of them.
constexpr bool has_parcels(Collective c) {
  return c == Collective::kReduceScatter || c >= Collective::kGatherv;
}
constexpr bool is_neighborly(Collective c) { return c >= Collective::kNeighborAllgather; }
// Every rank has the sizes of all blocks: they may decide, as bytes of the call.
constexpr bool knows_all_blocks(Collective c) {
  return !has_parcels(c) || c == Collective::kReduceScatter || c == Collective::kAllgatherv;
}

// With parcels: a rank has the same block for all to whom it sends.
constexpr bool has_one_for_all(Collective c) {
  return c == Collective::kGatherv || c == Collective::kAllgatherv || c == Collective::kNeighborAllgather ||
         c == Collective::kNeighborAllgatherv;
}
// With parcels: in how many shares a rank's memory is for what it leaves for others.
constexpr int shares_of_rank(const Call& call) {
  return has_one_for_all(call.collective) || call.rank_count < 2 ? 1 : call.rank_count - 1;
}

// What the members of a subgroup, numbered by their places, do of a call: a collective of their own, with the
// call's operator where it combines.
Call call_of_group(const Call& call, Collective collective, int size, int root, Bytes bytes);

// "barrier", "reduce_scatter_block", "neighbor_alltoallv", … as in MPI's function names, lower case.
std::string_view name_of(Collective collective);
std::optional<Collective> collective_named(std::string_view name);

}  // namespace weft
