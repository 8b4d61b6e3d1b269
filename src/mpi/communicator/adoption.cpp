// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/adoption.hpp"

#include <algorithm>
#include <utility>

#include "mpi/communicator/communicator.hpp"
#include "mpi/communicator/introductions.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/group.hpp"
#include "observe/timers.hpp"

namespace weft::mpi {
namespace {

Communicator* remember(MPI_Comm comm, std::vector<int> world_ranks, Told told,
                       Communicator::Settings settings) {
  return keep(std::make_unique<Communicator>(comm, std::move(world_ranks), told, std::move(settings)));
}
void learn_places(const std::vector<int>& world_ranks, Told told) {
  for (std::size_t who = 0; who < told.size(); ++who)
    this_node().places[static_cast<std::size_t>(world_ranks[who])] = told[who]->place;
}

}  // namespace

void serve_introduced(MPI_Comm comm, std::vector<int> world_ranks, const Introduction& mine, Told told,
                      const Hints& hints) {
  const auto every = [&](auto holds) { return std::all_of(told.begin(), told.end(), holds); };
  // A member has ended. Others may know all and go on, so that number and memory are not given back.
  if (told.empty()) return;
  if (!every([](const auto* one) { return one->serves != 0; })) return withdraw(mine);
  const bool are_same = every([&](const auto* one) { return one->hints == mine.hints; });
  if (ask_for_places(hints) && are_same) learn_places(world_ranks, told);
  attach(comm, remember(comm, std::move(world_ranks), told, settings_with(hints, are_same, job_settings())));
}
void serve_alone(MPI_Comm comm, std::vector<int> world_ranks, const Hints& hints) {
  attach(comm, remember(comm, std::move(world_ranks), {}, settings_with(hints, true, job_settings())));
}

namespace {

Introduction introduction_of(MPI_Comm comm, const std::vector<int>& world_ranks, const Hints& hints) {
  const InEngine inside;
  reap_communicators();  // for what they give back
  Introduction mine = introduce_myself(hints);
  if (mine.serves != 0) mine.memory = offer_memory(world_ranks, rank_in(comm));
  return mine;
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
  std::vector<int> ranks = world_ranks_of(comm);
  // Open MPI makes communicators of groups with members that are not in the parent, and take no part.
  const bool all_take_part = parent == MPI_COMM_NULL || is_inter(parent) || !ranks_in(comm, parent).empty();
  if (ranks.empty() || !all_take_part) return;  // every member sees a foreigner: nobody has anything to tell
  const Hints hints = hints_in(info);
  if (ranks.size() == 1) {
    const InEngine inside;
    return serve_alone(comm, std::move(ranks), hints);
  }
  Introductions all(ranks, serves ? introduction_of(comm, ranks, hints) : Introduction());
  all.tell_by_host(comm);
  all.wait();
  const InEngine inside;
  serve_introduced(comm, std::move(ranks), all.mine(), all.told(), hints);
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
    serve_introduced(comm, introductions->world_ranks(), introductions->mine(), introductions->told(), hints);
  }
}

}  // namespace weft::mpi
