// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/adoption.hpp"

#include <array>
#include <utility>

#include "mpi/communicator/communicator.hpp"
#include "mpi/communicator/introduction.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/flight/plans.hpp"
#include "mpi/host/group.hpp"
#include "observe/timers.hpp"
#include "planner/placement.hpp"

namespace weft::mpi {
namespace {

Communicator* remember(MPI_Comm comm, const std::vector<int>& world_ranks,
                       std::span<const Introduction> introductions, Communicator::Settings settings) {
  return keep(std::make_unique<Communicator>(comm, world_ranks, introductions, std::move(settings)));
}
// With what freed communicators have given back.
Introduction introduction_of(MPI_Comm comm, const std::vector<int>& world_ranks, const Hints& hints) {
  {
    const InEngine inside;
    reap_communicators();
  }
  return introduce_myself(world_ranks, rank_in(comm), hints);
}
void learn_places(const std::vector<int>& world_ranks, std::span<const Introduction> members) {
  for (std::size_t who = 0; who < members.size(); ++who)
    this_node().places[static_cast<std::size_t>(world_ranks[who])] = members[who].place;
}
// Takes a communicator into service, whose members have told one another; not if Weft on some member cannot.
void serve_introduced(MPI_Comm comm, const Introductions& all, const Hints& hints) {
  if (all.members().empty()) return withdraw(all.mine());
  if (ask_for_places(hints) && all.give_the_same_hints()) learn_places(all.world_ranks(), all.members());
  attach(comm, remember(comm, all.world_ranks(), all.members(),
                        settings_with(hints, all.give_the_same_hints(), job_settings())));
}
void serve_alone(MPI_Comm comm, const std::vector<int>& world_ranks, const Hints& hints) {
  attach(comm, remember(comm, world_ranks, {}, settings_with(hints, true, job_settings())));
}

}  // namespace

// Weft does not serve a communicator that was made from one that it does not serve. That may belong to a
// session, and Open MPI 5 lets nobody wait for requests of a session and of the world at once. Of two groups
// that are merged one may be served and the other not: the members then tell one another, and nobody serves
// the result.
void adopt(MPI_Comm comm, MPI_Comm parent, MPI_Info info) {
  if (!engine().active.load(std::memory_order_acquire) || comm == MPI_COMM_NULL) return;
  const Making making(communicators_constructed);
  const bool serves = parent == MPI_COMM_NULL || is_served(parent);
  if (is_inter(comm)) {
    if (serves) mark_as_made_of_served(comm);
    return;
  }
  if (!serves && !is_inter(parent)) return;
  const std::vector<int> ranks = world_ranks_of(comm);
  if (ranks.empty()) return;  // every member sees a foreigner, so nobody has anything to tell
  const Hints hints = hints_in(info);
  if (ranks.size() == 1) {
    const InEngine inside;
    return serve_alone(comm, ranks, hints);
  }
  Introductions all(ranks, serves ? introduction_of(comm, ranks, hints) : Introduction());
  all.tell_by_host(comm);
  all.wait();
  const InEngine inside;
  serve_introduced(comm, all, hints);
}

namespace {

// Null unless Weft serves the communicator and its members share a node's memory, which all of them see
// alike.
const Communicator* on_one_node(MPI_Comm comm) {
  if (is_inter(comm)) return nullptr;
  const InEngine inside;
  const Communicator* found = find_communicator(comm);
  return found != nullptr && found->size > 1 && found->plans->placement().one_node ? found : nullptr;
}

}  // namespace

void adopt_child(MPI_Comm comm, MPI_Comm parent, MPI_Info info,
                 bool (*run)(const Arguments& allgather, int* code)) {
  if (!engine().active.load(std::memory_order_acquire)) return;
  const Communicator* all_parents = on_one_node(parent);
  if (all_parents == nullptr) return adopt(comm, parent, info);
  if (comm == MPI_COMM_NULL) {
    Introductions({}, {}).tell_on_parent(parent, all_parents->size, {}, run);
    return;
  }
  const Making making(communicators_constructed);
  const std::vector<int> ranks_there = ranks_in(comm, parent);
  std::vector<int> ranks;  // in the world
  ranks.reserve(ranks_there.size());
  for (const int rank : ranks_there) ranks.push_back(all_parents->world_rank[static_cast<std::size_t>(rank)]);
  const Hints hints = hints_in(info);
  const bool alone = ranks.size() == 1;
  Introductions all(ranks, alone ? Introduction() : introduction_of(comm, ranks, hints));
  if (!all.tell_on_parent(parent, all_parents->size, ranks_there, run) && !alone) {
    all.tell_by_host(comm);
    all.wait();
  }
  const InEngine inside;
  if (alone) serve_alone(comm, ranks, hints);
  else serve_introduced(comm, all, hints);
}

std::unique_ptr<Introductions> introductions_for(MPI_Comm parent, const Hints& hints) {
  std::vector<int> ranks = world_ranks_of(parent);
  if (is_inter(parent) || ranks.size() == 1) return nullptr;
  const Introduction mine = introduction_of(parent, ranks, hints);
  return std::make_unique<Introductions>(std::move(ranks), mine);
}

void adopt_duplicate(MPI_Comm comm, const Hints& hints, const Introductions* introductions) {
  const Making making(communicators_constructed);
  if (is_inter(comm)) {
    mark_as_made_of_served(comm);
  } else if (introductions == nullptr) {
    serve_alone(comm, world_ranks_of(comm), hints);
  } else {
    serve_introduced(comm, *introductions, hints);
  }
}

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
