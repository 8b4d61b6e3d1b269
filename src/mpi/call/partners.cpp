// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/partners.hpp"

#include <algorithm>
#include <iterator>

namespace weft::mpi {

const Partners& partners_of(const Arguments& a, Communicator& communicator, bool in_place) {
  static Partners& partners = *new Partners;
  partners.to.clear();
  partners.from.clear();
  const auto add_all = [&](std::vector<Neighbor>& list, bool one_block) {
    for (int rank = 0; rank < communicator.size; ++rank) list.push_back({rank, one_block ? 0 : rank});
  };
  const bool is_root = communicator.rank == a.root;
  partners.one_block_for_all = false;
  switch (a.collective) {
    case Collective::kGather:
    case Collective::kGatherv:
      partners.to.push_back({a.root, 0});
      if (is_root) add_all(partners.from, false);
      break;
    case Collective::kScatter:
    case Collective::kScatterv:
      if (is_root) add_all(partners.to, false);
      if (is_root && in_place && a.collective == Collective::kScatterv)
        partners.to.erase(partners.to.begin() + a.root);  // the root's own block stays where it is
      if (!is_root || !in_place) partners.from.push_back({a.root, 0});
      break;
    case Collective::kAllgather:
    case Collective::kAllgatherv:
      partners.one_block_for_all = true;
      add_all(partners.to, true);
      add_all(partners.from, false);
      break;
    case Collective::kAlltoall:
    case Collective::kAlltoallv:
    case Collective::kAlltoallw:
      add_all(partners.to, false);
      add_all(partners.from, false);
      break;
    default: {
      const Neighbors& neighbors = *communicator.neighbors();
      const auto is_there = [](const Neighbor& neighbor) { return neighbor.rank >= 0; };
      std::copy_if(neighbors.destinations.begin(), neighbors.destinations.end(),
                   std::back_inserter(partners.to), is_there);
      std::copy_if(neighbors.sources.begin(), neighbors.sources.end(), std::back_inserter(partners.from),
                   is_there);
      partners.one_block_for_all =
          a.collective == Collective::kNeighborAllgather || a.collective == Collective::kNeighborAllgatherv;
    }
  }
  return partners;
}

std::size_t entries_of(const std::vector<Neighbor>& partners, std::size_t many) {
  std::size_t entries = 0;
  for (std::size_t i = 0; i < std::min(many, partners.size()); ++i)
    entries = std::max(entries, static_cast<std::size_t>(partners[i].block) + 1);
  return entries;
}

}  // namespace weft::mpi
