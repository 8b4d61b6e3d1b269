// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/registry.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/communicator/introductions.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/plans.hpp"
#include "mpi/flight/traffic.hpp"
#include "mpi/host/group.hpp"
#include "mpi/host/handle.hpp"

namespace weft::mpi {
namespace {

struct Registry {
  Communicator::Settings job_settings;
  int keyval = MPI_KEYVAL_INVALID;               // of the attribute that leads to the state
  int within_world_keyval = MPI_KEYVAL_INVALID;  // of the attribute that keeps is_within_world's answer
  int of_served_keyval = MPI_KEYVAL_INVALID;     // on inter-communicators of what Weft serves
  MPI_Group world = MPI_GROUP_NULL;
  std::vector<std::unique_ptr<Communicator>> communicators;  // under the engine's lock
  // A list of those whose state is to be deleted. Whoever frees one adds it without any lock.
  std::atomic<Communicator*> freed{nullptr};
  void add_freed(Communicator* communicator) {
    communicator->next_freed = freed.load(std::memory_order_relaxed);
    while (!freed.compare_exchange_weak(communicator->next_freed, communicator, std::memory_order_acq_rel)) {}
  }
  // MPICH crashes where attributes of a communicator are looked at or set while it deletes them.
  std::atomic<MPI_Comm> being_freed{MPI_COMM_NULL};
  bool is_being_freed(MPI_Comm comm) const { return comm == being_freed.load(std::memory_order_relaxed); }

  RecentHandles<MPI_Comm, Communicator, 4> recent;
};

Registry& registry() {
  static Registry& the_registry = *new Registry;
  return the_registry;
}

// Called when the communicator is freed, perhaps under the host's own locks, so it only leaves a note; and
// perhaps after Weft has ended. MPI_COMM_SELF's attributes go at the same time as Weft.
int on_free(MPI_Comm comm, int, void* state, void*) {
  if (!engine().joined) return MPI_SUCCESS;
  registry().being_freed.store(comm, std::memory_order_relaxed);
  auto* communicator = static_cast<Communicator*>(state);
  if (!communicator->freed.exchange(true)) registry().add_freed(communicator);
  return MPI_SUCCESS;
}

// The ranks in another group of the members of a group, which is freed; empty if some are not in the other.
std::vector<int> ranks_in_group(MPI_Group group, MPI_Group other) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> members(static_cast<std::size_t>(size)), ranks(members.size());
  std::iota(members.begin(), members.end(), 0);
  PMPI_Group_translate_ranks(group, size, members.data(), other, ranks.data());
  PMPI_Group_free(&group);
  if (std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end()) return {};
  return ranks;
}

MPI_Group group_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  return group;
}

bool remote_group_is_in_world(MPI_Comm comm) {
  if (!is_inter(comm)) return true;
  MPI_Group remote = MPI_GROUP_NULL;
  PMPI_Comm_remote_group(comm, &remote);
  return !ranks_in_group(remote, registry().world).empty();
}

Way way_of(const Communicator& communicator) {
  if (!communicator.all_are_here) return communicator.hierarchy != nullptr ? Way::kNodes : Way::kMessages;
  return communicator.memory.rank_bytes > Bytes(0) ? Way::kMemory : Way::kLines;
}

}  // namespace

CommunicatorCounters& communicators_made() {
  static CommunicatorCounters& counters = *new CommunicatorCounters{};
  return counters;
}

std::vector<int> world_ranks_of(MPI_Comm comm) { return ranks_in_group(group_of(comm), registry().world); }

std::vector<int> ranks_in(MPI_Comm comm, MPI_Comm other) {
  MPI_Group group = group_of(other);
  std::vector<int> ranks = ranks_in_group(group_of(comm), group);
  PMPI_Group_free(&group);
  return ranks;
}

void create_communicator_keyvals() {
  registry().job_settings = std::make_shared<const SharedSettings>(engine().settings.shared);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &registry().keyval, nullptr);
  for (int* keyval : {&registry().within_world_keyval, &registry().of_served_keyval})
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, nullptr);
  PMPI_Comm_group(engine().transport_comm, &registry().world);
}

const Communicator::Settings& job_settings() { return registry().job_settings; }

Communicator* keep(std::unique_ptr<Communicator> communicator) {
  auto& all = registry().communicators;
  Communicator* kept = all.emplace_back(std::move(communicator)).get();
  kept->place = all.size() - 1;
  if (kept->rank == 0 && kept->size > 1)
    communicators_made()[static_cast<std::size_t>(way_of(*kept))].fetch_add(1);
  return kept;
}

void attach(MPI_Comm comm, Communicator* communicator) {
  PMPI_Comm_set_attr(comm, registry().keyval, communicator);
  MPI_Comm freed = comm;  // a communicator that had this handle before and is gone
  registry().being_freed.compare_exchange_strong(freed, MPI_COMM_NULL);
}

void mark_as_made_of_served(MPI_Comm comm) {
  PMPI_Comm_set_attr(comm, registry().of_served_keyval, &registry());
}

bool is_served(MPI_Comm comm) {
  if (is_inter(comm)) {
    void* value = nullptr;
    int has = 0;
    PMPI_Comm_get_attr(comm, registry().of_served_keyval, &value, &has);
    return has != 0;
  }
  const InEngine inside;
  return find_communicator(comm) != nullptr;
}

Communicator* find_communicator(MPI_Comm comm) {
  Registry& all = registry();
  if (all.freed.load(std::memory_order_acquire) != nullptr) reap_communicators();
  if (Communicator* known = all.recent.find(comm)) return known;
  if (all.is_being_freed(comm)) return nullptr;
  Communicator* found = nullptr;
  int has = 0;
  PMPI_Comm_get_attr(comm, all.keyval, &found, &has);
  if (!has) return nullptr;
  all.recent.remember(comm, found);
  return found;
}

bool is_within_world(MPI_Comm comm) {
  static char yes, no;  // the attribute's values are their addresses
  void* known = nullptr;
  int has = 0;
  const bool has_attributes = !registry().is_being_freed(comm);
  if (has_attributes) PMPI_Comm_get_attr(comm, registry().within_world_keyval, &known, &has);
  if (has) return known == &yes;
  const bool within = !world_ranks_of(comm).empty() && remote_group_is_in_world(comm);
  if (has_attributes) PMPI_Comm_set_attr(comm, registry().within_world_keyval, within ? &yes : &no);
  return within;
}

namespace {

// The neighbour's messages have to be out of the way of the next communicator with this number.
bool is_checked(Communicator& communicator) {
  if (!communicator.checker) return true;
  communicator.checker->tell_end("MPI_Comm_free");
  communicator.checker->progress();
  return communicator.checker->is_done();
}

void forget(Communicator* communicator) {
  Registry& all = registry();
  const bool went_well = !communicator->traffic->had_errors && communicator->constructs_by_letters;
  if (communicator->node) communicator->node->leave(went_well, communicator->persistent_made);
  give_back_id(communicator->id());
  bequeath(communicator->leave_plans());
  const std::size_t place = communicator->place;
  std::swap(all.communicators[place], all.communicators.back());
  all.communicators[place]->place = place;
  all.communicators.pop_back();
}

}  // namespace

void reap_communicators() {
  Communicator* next = registry().freed.exchange(nullptr, std::memory_order_acq_rel);
  while (next != nullptr) {
    Communicator* const one = std::exchange(next, next->next_freed);
    registry().recent.forget(one->handle);
    if (one->all_idle() && is_checked(*one)) forget(one);
    else registry().add_freed(one);
  }
}

void tell_end_of_checks() {
  const auto all_done = [] {
    return std::all_of(registry().communicators.begin(), registry().communicators.end(),
                       [](const auto& c) { return !c->checker || c->checker->is_done(); });
  };
  const auto tell = [] {
    const InEngine inside;
    for (const auto& communicator : registry().communicators)
      if (communicator->checker)
        communicator->checker->tell_end(communicator->freed ? "MPI_Comm_free" : "MPI_Finalize");
  };
  tell();
  wait_until([&] {
    const InEngine inside;
    progress_checks();
    return all_done();
  });
}

void progress_checks() {
  for (const auto& communicator : registry().communicators)
    if (communicator->checker) communicator->checker->progress();
}

void forget_all_communicators() {
  Registry& all = registry();
  PMPI_Comm_free_keyval(&all.keyval);
  PMPI_Group_free(&all.world);
  const InEngine inside;
  for (const auto& communicator : all.communicators) {
    if (communicator->node) communicator->node->tell_end();
    if (communicator->handle == MPI_COMM_WORLD || communicator->handle == MPI_COMM_SELF)
      on_free(communicator->handle, MPI_KEYVAL_INVALID, communicator.get(), nullptr);
  }
  reap_communicators();
  forget_heritage();
}

}  // namespace weft::mpi
