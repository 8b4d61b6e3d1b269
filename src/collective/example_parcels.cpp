// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/parcels.hpp"

namespace weft {

namespace {

// The size of the block between two ranks: from nothing to the most, different between most pairs, and the
// same both ways, as MPI_IN_PLACE demands.
Bytes size_between(Bytes most, int a, int b) {
  const int kind = (std::min(a, b) * 5 + std::max(a, b) * 3) % 7;
  return Bytes(most.value * kind / 6);
}

// A vector cut between elements into parts as uneven as 1 : 2 : 0.
std::vector<Bytes> uneven_parts(const Call& call) {
  const auto weight_before = [](std::int64_t rank) { return rank / 3 * 3 + (rank % 3 == 2 ? 3 : rank % 3); };
  const auto begin_of = [&](int rank) {
    return call.bytes / call.element_bytes * weight_before(rank) / weight_before(call.rank_count);
  };
  std::vector<Bytes> parts;
  parts.reserve(static_cast<std::size_t>(call.rank_count));
  for (int rank = 0; rank < call.rank_count; ++rank)
    parts.push_back(call.element_bytes * (begin_of(rank + 1) - begin_of(rank)));
  return parts;
}

// Side by side, with a little room here and there.
class BlockLayout {
 public:
  explicit BlockLayout(bool dense) : dense_(dense) {}
  Bytes place(Bytes size) {
    const Bytes at = next_;
    next_ += size + Bytes(dense_ ? 0 : count_++ % 3);
    return at;
  }

 private:
  bool dense_;
  int count_ = 0;
  Bytes next_;
};

Parcels reduce_scatter_parcels(const Call& call, Rank self) {
  Parcels parcels;
  BlockLayout parts(true);
  for (const Bytes size : uneven_parts(call)) {
    const Rank rank(static_cast<int>(parcels.outgoing.size()));
    parcels.outgoing.push_back({rank, parts.place(size), size});
    if (rank == self) parcels.incoming.push_back({self, Bytes(0), size});
  }
  return parcels;
}

Parcels allgatherv_parcels(const Call& call, Rank self, bool in_place) {
  const std::vector<Bytes> sizes = uneven_parts(call);
  Parcels parcels;
  BlockLayout blocks(self.value % 2 == 0);  // where others lie is everybody's own affair
  for (int rank = 0; rank < call.rank_count; ++rank) {
    const Bytes size = sizes[static_cast<std::size_t>(rank)];
    parcels.incoming.push_back({Rank(rank), blocks.place(size), size});
  }
  const Parcel own = parcels.incoming[static_cast<std::size_t>(self.value)];
  for (int rank = 0; rank < call.rank_count; ++rank)
    parcels.outgoing.push_back({Rank(rank), in_place ? own.offset : Bytes(0), own.size});
  return parcels;
}

Parcels rooted_parcels(const Call& call, Rank self, bool in_place) {
  const bool gathers = call.collective == Collective::kGatherv;
  const auto size = [&](int rank) { return size_between(call.bytes, rank, call.root.value); };
  const Parcel own{call.root, Bytes(0), size(self.value)};
  std::vector<Parcel> at_root;
  BlockLayout blocks(false);
  if (self == call.root)
    for (int rank = 0; rank < call.rank_count; ++rank)
      at_root.push_back({Rank(rank), blocks.place(size(rank)), size(rank)});
  if (!in_place || self != call.root) return gathers ? Parcels{{own}, at_root} : Parcels{at_root, {own}};
  const auto roots = at_root.begin() + call.root.value;
  if (gathers) return {{*roots}, at_root};
  at_root.erase(roots);
  return {at_root, {}};
}

Parcels alltoallv_parcels(const Call& call, Rank self, bool in_place) {
  Parcels parcels;
  BlockLayout out(false), in(false);
  for (int rank = call.rank_count - 1; rank >= 0; --rank) {  // the last one first: in any order
    const Bytes size = size_between(call.bytes, rank, self.value);
    parcels.outgoing.push_back({Rank(rank), out.place(size), size});
  }
  for (int rank = 0; rank < call.rank_count; ++rank) {
    const Bytes size = size_between(call.bytes, rank, self.value);
    parcels.incoming.push_back({Rank(rank), in.place(size), size});
  }
  if (in_place) parcels.outgoing = parcels.incoming;
  return parcels;
}

std::vector<Dimension> grid_of(int rank_count) {
  int rows = 1;
  for (int divisor = 2; divisor * divisor <= rank_count; ++divisor)
    if (rank_count % divisor == 0) rows = divisor;
  return {{rows, true}, {rank_count / rows, rank_count % 2 == 0}};
}

Parcels neighbor_parcels(const Call& call, Rank self) {
  const bool gathers =
      call.collective == Collective::kNeighborAllgather || call.collective == Collective::kNeighborAllgatherv;
  const bool same_size =
      call.collective == Collective::kNeighborAllgather || call.collective == Collective::kNeighborAlltoall;
  const auto size = [&](int from, int to) {
    if (same_size) return call.bytes;
    return size_between(call.bytes, from, gathers ? from : to);
  };
  const std::vector<Dimension> grid = grid_of(call.rank_count);
  const Neighbors neighbors = cartesian_neighbors(grid, self.value);
  Parcels parcels;
  for (const Neighbor& to : neighbors.destinations) {
    if (to.rank < 0) continue;
    parcels.outgoing.push_back(
        {Rank(to.rank), gathers ? Bytes(0) : call.bytes * to.block, size(self.value, to.rank)});
  }
  for (const Neighbor& from : neighbors.sources)
    if (from.rank >= 0)
      parcels.incoming.push_back({Rank(from.rank), call.bytes * from.block, size(from.rank, self.value)});
  return parcels;
}

}  // namespace

Parcels example_parcels(const Call& call, Rank rank, bool in_place) {
  switch (call.collective) {
    case Collective::kReduceScatter: return reduce_scatter_parcels(call, rank);
    case Collective::kAllgatherv: return allgatherv_parcels(call, rank, in_place);
    case Collective::kGatherv:
    case Collective::kScatterv: return rooted_parcels(call, rank, in_place);
    case Collective::kAlltoallv:
    case Collective::kAlltoallw: return alltoallv_parcels(call, rank, in_place);
    default: return is_neighborly(call.collective) ? neighbor_parcels(call, rank) : Parcels{};
  }
}

}  // namespace weft
