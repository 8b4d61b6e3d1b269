// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/changed_hints.hpp"

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "mpi/communicator/hints.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/host/group.hpp"

namespace weft::mpi {
namespace {

// The members of a communicator that is in use tell one another where they are: each fills in its words.
void tell_places(MPI_Comm comm, const std::vector<int>& world_ranks) {
  constexpr std::uint64_t kToZero = 1 - kNowhere;
  constexpr std::size_t kWords = std::tuple_size_v<MachinePlace>;
  const auto mine = static_cast<std::size_t>(rank_in(comm));
  std::vector<std::uint64_t> words(kWords * world_ranks.size());
  {
    const InEngine inside;
    const MachinePlace place = place_of_this_rank();
    for (std::size_t level = 0; level < kWords; ++level)
      words[kWords * mine + level] = static_cast<std::uint64_t>(place[level]) + kToZero;
  }
  if (allreduce_words(comm, world_ranks, words, MPI_BOR) != MPI_SUCCESS) return;
  const InEngine inside;
  for (std::size_t who = 0; who < world_ranks.size(); ++who)
    for (std::size_t level = 0; level < kWords; ++level)
      this_node().places[static_cast<std::size_t>(world_ranks[who])][level] =
          static_cast<int>(words[kWords * who + level] - kToZero);
}

}  // namespace

void take_hints(MPI_Comm comm, MPI_Info info) {
  if (!engine().active.load(std::memory_order_acquire)) return;
  const auto find = [&] {
    const InEngine inside;
    return find_communicator(comm);
  };
  Communicator* communicator = find();
  if (communicator == nullptr) return;
  const Hints hints = hints_in(info);
  const std::uint64_t mine = fingerprint_of(hints);
  std::array<std::uint64_t, 2> all = {mine, ~mine};
  if (allreduce_words(comm, communicator->world_rank, all, MPI_BAND) != MPI_SUCCESS) return;
  const bool same = (all[0] ^ all[1]) == ~std::uint64_t{0};
  if (same && hints.empty()) return;
  if (same && ask_for_places(hints)) tell_places(comm, communicator->world_rank);
  const InEngine inside;
  communicator->plan_by(settings_with(hints, same, communicator->settings));
}

}  // namespace weft::mpi
