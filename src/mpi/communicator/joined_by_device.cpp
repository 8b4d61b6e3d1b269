// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/joined_by_device.hpp"

#include <algorithm>
#include <iterator>

#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/agent.hpp"

namespace weft::mpi {

bool is_joined_by_device(std::span<const int> world_ranks) {
  std::vector<int> joined;
  std::copy_if(world_ranks.begin(), world_ranks.end(), std::back_inserter(joined), has_agent);
  return !joined.empty() && !is_one_node(joined);
}

std::vector<char> members_without_device(std::span<const int> world_ranks) {
  std::vector<char> without;
  if (std::all_of(world_ranks.begin(), world_ranks.end(), has_agent)) return without;
  without.reserve(world_ranks.size());
  for (const int rank : world_ranks) without.push_back(has_agent(rank) ? 0 : 1);
  return without;
}

void place_on_device(std::span<const int> world_ranks, std::span<MachinePlace> places) {
  for (std::size_t member = 0; member < world_ranks.size(); ++member) {
    const int rank = world_ranks[member];
    at(places[member], Level::kDevice) =
        has_agent(rank) ? 0 : 1 + this_node().node_of[static_cast<std::size_t>(rank)];
  }
}

}  // namespace weft::mpi
