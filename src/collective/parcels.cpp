// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parcels.hpp"

#include <algorithm>
#include <map>

namespace weft {

Bytes extent_of(std::span<const Parcel> parcels) {
  Bytes end;
  for (const Parcel& parcel : parcels) end = std::max(end, parcel.offset + parcel.size);
  return end;
}

namespace {

struct Coordinates {
  std::vector<int> at;

  Coordinates(std::span<const Dimension> dimensions, int rank) : at(dimensions.size()) {
    for (std::size_t d = dimensions.size(); d-- > 0; rank /= dimensions[d].size)
      at[d] = rank % dimensions[d].size;
  }
  // -1 beyond an edge.
  int shifted(std::span<const Dimension> dimensions, std::size_t dimension, int by) const {
    int rank = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const int size = dimensions[d].size;
      int place = at[d] + (d == dimension ? by : 0);
      if (place < 0 || place >= size) {
        if (!dimensions[d].periodic) return -1;
        place = (place + size) % size;
      }
      rank = rank * size + place;
    }
    return rank;
  }
};

}  // namespace

Neighbors cartesian_neighbors(std::span<const Dimension> dimensions, int rank) {
  const Coordinates here(dimensions, rank);
  Neighbors neighbors;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const int block = static_cast<int>(2 * d);
    const Neighbor below{here.shifted(dimensions, d, -1), block};
    const Neighbor above{here.shifted(dimensions, d, +1), block + 1};
    neighbors.destinations.insert(neighbors.destinations.end(), {below, above});
    neighbors.sources.insert(neighbors.sources.end(), {above, below});
  }
  return neighbors;
}

Pairing::Pairing(std::vector<const Parcels*> all) {
  struct Sent {
    std::vector<std::size_t> numbers;
    std::size_t taken = 0;
  };
  std::vector<std::map<int, Sent>> sent(all.size());  // [from][to]
  for (std::size_t from = 0; from < all.size(); ++from)
    for (std::size_t i = 0; i < all[from]->outgoing.size(); ++i)
      sent[from][all[from]->outgoing[i].peer.value].numbers.push_back(i);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    auto& origins = origins_.emplace_back();
    for (const Parcel& parcel : all[rank]->incoming) {
      const auto from = static_cast<std::size_t>(parcel.peer.value);
      Sent& there = sent[from][static_cast<int>(rank)];
      const bool is_sent = there.taken < there.numbers.size();
      origins.push_back(is_sent ? &all[from]->outgoing[there.numbers[there.taken++]] : nullptr);
    }
  }
  for (std::size_t from = 0; from < all.size(); ++from)
    for (const auto& [to, there] : sent[from])
      for (std::size_t i = there.taken; i < there.numbers.size(); ++i)
        untaken_.emplace_back(Rank(static_cast<int>(from)), there.numbers[i]);
}

}  // namespace weft
