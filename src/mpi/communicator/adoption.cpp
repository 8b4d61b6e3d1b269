// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/adoption.hpp"

#include <array>
#include <utility>

#include "mpi/communicator/introduction.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/host/group.hpp"

namespace weft::mpi {
namespace {

Communicator* remember(MPI_Comm comm, const std::vector<int>& world_ranks,
                       std::span<const Introduction> introductions, Communicator::Settings settings) {
  return keep(std::make_unique<Communicator>(comm, world_ranks, introductions, std::move(settings)));
}
Communicator* remember_alone(MPI_Comm comm, const std::vector<int>& world_ranks, const Hints& hints) {
  return remember(comm, world_ranks, {}, settings_with(hints, true, job_settings()));
}
// With what freed communicators have given back.
Introduction introduction_of(MPI_Comm comm, const std::vector<int>& world_ranks, const Hints& hints) {
  {
    const InEngine inside;
    reap_communicators();
  }
  return introduce_myself(world_ranks, rank_in(comm), hints);
}
// Null if Weft on some member cannot serve the communicator.
Communicator* remember_introduced(MPI_Comm comm, const Introductions& all, const Hints& hints) {
  if (!all.members().empty())
    return remember(comm, all.world_ranks(), all.members(),
                    settings_with(hints, all.give_the_same_hints(), job_settings()));
  withdraw(all.mine());
  return nullptr;
}

}  // namespace

// Weft does not serve a communicator that was made from one that it does not serve. That may belong to a
// session, and Open MPI 5 lets nobody wait for requests of a session and of the world at once. Of two groups
// that are merged one may be served and the other not: the members then tell one another, and nobody serves
// the result.
void adopt(MPI_Comm comm, MPI_Comm parent, MPI_Info info) {
  if (!engine().active.load(std::memory_order_acquire) || comm == MPI_COMM_NULL) return;
  const bool serves = parent == MPI_COMM_NULL || is_served(parent);
  if (is_inter(comm)) {
    if (serves) mark_as_made_of_served(comm);
    return;
  }
  if (!serves && !is_inter(parent)) return;
  const std::vector<int> ranks = world_ranks_of(comm);
  if (ranks.empty()) return;  // every member sees a foreigner, so nobody has anything to tell
  const Hints hints = hints_in(info);
  Communicator* communicator = nullptr;
  if (ranks.size() == 1) {
    const InEngine inside;
    communicator = remember_alone(comm, ranks, hints);
  } else {
    Introductions all(ranks, serves ? introduction_of(comm, ranks, hints) : Introduction());
    all.tell_by_host(comm);
    all.wait();
    const InEngine inside;
    communicator = remember_introduced(comm, all, hints);
  }
  if (communicator != nullptr) attach(comm, communicator);
}

std::unique_ptr<Introductions> introductions_for(MPI_Comm parent, const Hints& hints) {
  std::vector<int> ranks = world_ranks_of(parent);
  if (is_inter(parent) || ranks.size() == 1) return nullptr;
  const Introduction mine = introduction_of(parent, ranks, hints);
  return std::make_unique<Introductions>(std::move(ranks), mine);
}

void adopt_duplicate(MPI_Comm comm, const Hints& hints, const Introductions* introductions) {
  if (is_inter(comm)) {
    mark_as_made_of_served(comm);
  } else if (introductions == nullptr) {
    attach(comm, remember_alone(comm, world_ranks_of(comm), hints));
  } else if (Communicator* communicator = remember_introduced(comm, *introductions, hints)) {
    attach(comm, communicator);
  }
}

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
  const InEngine inside;
  communicator->plan_by(settings_with(hints, same, communicator->settings));
}

}  // namespace weft::mpi
