// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/engine.hpp"
#include "mpi/front_door.hpp"
#include "mpi/handle.hpp"
#include "mpi/waits.hpp"

namespace weft::mpi {
namespace {

struct Registry {
  Communicator::Settings job_settings;
  int keyval = MPI_KEYVAL_INVALID;               // of the attribute that leads to the state
  int within_world_keyval = MPI_KEYVAL_INVALID;  // of the attribute that keeps is_within_world's answer
  int of_served_keyval = MPI_KEYVAL_INVALID;     // on inter-communicators of what Weft serves
  MPI_Group world = MPI_GROUP_NULL;
  std::vector<std::unique_ptr<Communicator>> communicators;  // under the engine's lock
  std::atomic<bool> something_freed{false};
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
// perhaps after Weft has ended.
int on_free(MPI_Comm comm, int, void* state, void*) {
  if (!engine().joined) return MPI_SUCCESS;
  registry().being_freed.store(comm, std::memory_order_relaxed);
  static_cast<Communicator*>(state)->freed.store(true, std::memory_order_release);
  registry().something_freed.store(true, std::memory_order_release);
  return MPI_SUCCESS;
}

// World ranks of the members of a group, which is freed; empty if some are not in this world.
std::vector<int> world_ranks_of_group(MPI_Group group) {
  const MPI_Group world = registry().world;
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> members(static_cast<std::size_t>(size)), ranks(members.size());
  std::iota(members.begin(), members.end(), 0);
  PMPI_Group_translate_ranks(group, size, members.data(), world, ranks.data());
  PMPI_Group_free(&group);
  if (std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end()) return {};
  return ranks;
}

std::vector<int> world_ranks_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  return world_ranks_of_group(group);
}

bool remote_group_is_in_world(MPI_Comm comm) {
  if (!is_inter(comm)) return true;
  MPI_Group remote = MPI_GROUP_NULL;
  PMPI_Comm_remote_group(comm, &remote);
  return !world_ranks_of_group(remote).empty();
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

Way way_of(const Placement& placement) {
  if (!placement.one_node) return placement.hierarchy != nullptr ? Way::kNodes : Way::kMessages;
  return placement.rank_bytes > Bytes(0) ? Way::kMemory : Way::kLines;
}

}  // namespace

Communicator::Communicator(MPI_Comm comm, std::vector<int> world_ranks, std::span<const Introduction> members,
                           Settings given)
    : handle(comm),
      settings(std::move(given)),
      world_rank(std::move(world_ranks)),
      addresses(members.size()),
      persistent_addresses(members.size()),
      transport(engine().transport_comm, engine().tags.ordinal_bits(), addresses, rank_in(comm)),
      persistent_transport(engine().persistent_comm, Tags::kPersistentOrdinalBits, persistent_addresses,
                           rank_in(comm)) {
  rank = rank_in(comm);
  PMPI_Comm_size(comm, &size);
  if (size == 1) {
    place();
    return;
  }
  share_tags(members);
  if (settings->check && make_checks != nullptr) checker = make_checks(*this);
  share_memory(members);
  if (rank == 0) communicators_made()[static_cast<std::size_t>(way_of(placement()))].fetch_add(1);
}

void Communicator::share_tags(std::span<const Introduction> members) {
  const Tags& tags = engine().tags;
  for (std::size_t member = 0; member < members.size(); ++member) {
    const int its_id = static_cast<int>(members[member].id);
    ids.push_back(its_id);
    addresses[member] = {world_rank[member], tags.first_of(its_id)};
    persistent_addresses[member] = {world_rank[member], tags.first_persistent_of(its_id)};
    most_persistent = std::min(most_persistent, tags.persistent_of(its_id));
  }
}

void Communicator::share_memory(std::span<const Introduction> members) {
  std::vector<MemoryOffer> offers;
  for (const Introduction& member : members) offers.push_back(member.memory);
  const MemoryOfAll all = memory_of_all(world_rank, offers);
  node = share_node(world_rank, rank, offers);
  memory = all.memory;
  large_rooms = all.large_rooms;
  rooms = all.rooms;
  place();
}

void Communicator::place() {
  const std::string& depth = settings->hierarchy;
  const bool on_one_node = is_one_node(world_rank);
  const bool needs_hierarchy = memory.exists && !(on_one_node && is_one_group(size, depth));
  hierarchy = needs_hierarchy ? hierarchy_over(world_rank, depth) : nullptr;
  const SharedMemory lines{memory.exists, Bytes(0), memory.reachable};
  planning_by(Room::kLarge).placement = placement_of(memory, on_one_node, hierarchy.get(), *settings);
  planning_by(Room::kLines).placement = placement_of(lines, on_one_node, hierarchy.get(), *settings);
  planning_by(Room::kNone).placement = placement_of({}, on_one_node, nullptr, *settings);
}

CommunicatorCounters& communicators_made() {
  static CommunicatorCounters& counters = *new CommunicatorCounters{};
  return counters;
}

void Communicator::plan_by(Settings given) {
  std::erase_if(former_plans, [](const PlanCache<Plan>& idle) { return idle.all_idle(); });
  for (Planning& one : planning) former_plans.push_back(std::exchange(one.plans, {}));
  recent = {};
  settings = std::move(given);
  place();
}

bool Communicator::all_idle() const {
  return in_flight == 0 &&
         std::all_of(planning.begin(), planning.end(),
                     [](const Planning& one) { return one.plans.all_idle(); }) &&
         std::all_of(former_plans.begin(), former_plans.end(),
                     [](const PlanCache<Plan>& former) { return former.all_idle(); });
}

const Neighbors* Communicator::neighbors() {
  if (!std::exchange(asked_for_neighbors_, true)) neighbors_ = neighbors_on(handle);
  return neighbors_.get();
}

void create_communicator_keyval() {
  registry().job_settings = std::make_shared<const SharedSettings>(engine().settings.shared);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &registry().keyval, nullptr);
  for (int* keyval : {&registry().within_world_keyval, &registry().of_served_keyval})
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, nullptr);
  PMPI_Comm_group(engine().transport_comm, &registry().world);
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

namespace {

// Makes Weft's state for the communicator, which it serves as soon as attach() is called. The caller holds
// the engine's lock.
Communicator* remember(MPI_Comm comm, const std::vector<int>& world_ranks,
                       std::span<const Introduction> members, Communicator::Settings settings) {
  auto state = std::make_unique<Communicator>(comm, world_ranks, members, std::move(settings));
  return registry().communicators.emplace_back(std::move(state)).get();
}
Communicator* remember_alone(MPI_Comm comm, const std::vector<int>& world_ranks, const Hints& hints) {
  return remember(comm, world_ranks, {}, settings_with(hints, true, registry().job_settings));
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
                    settings_with(hints, all.give_the_same_hints(), registry().job_settings));
  withdraw(all.mine());
  return nullptr;
}
void attach(MPI_Comm comm, Communicator* communicator) {
  PMPI_Comm_set_attr(comm, registry().keyval, communicator);
  MPI_Comm freed = comm;  // a communicator that had this handle before and is gone
  registry().being_freed.compare_exchange_strong(freed, MPI_COMM_NULL);
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
    if (serves) PMPI_Comm_set_attr(comm, registry().of_served_keyval, &registry());
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

std::unique_ptr<Introductions> introduce_on(MPI_Comm parent, const Hints& hints) {
  std::vector<int> ranks = world_ranks_of(parent);
  if (is_inter(parent) || ranks.size() == 1) return nullptr;
  const Introduction mine = introduction_of(parent, ranks, hints);
  auto introductions = std::make_unique<Introductions>(std::move(ranks), mine);
  introductions->tell_by_weft(parent);
  return introductions;
}

void adopt_duplicate(MPI_Comm comm, const Hints& hints, const Introductions* introductions) {
  if (is_inter(comm)) {
    PMPI_Comm_set_attr(comm, registry().of_served_keyval, &registry());
  } else if (introductions == nullptr) {
    attach(comm, remember_alone(comm, world_ranks_of(comm), hints));
  } else if (Communicator* communicator = remember_introduced(comm, *introductions, hints)) {
    attach(comm, communicator);
  }
}

Communicator* find_communicator(MPI_Comm comm) {
  Registry& all = registry();
  if (all.something_freed.load(std::memory_order_acquire)) reap_communicators();
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

}  // namespace

void reap_communicators() {
  Registry& all = registry();
  if (!all.something_freed.exchange(false, std::memory_order_acq_rel)) return;
  all.recent.forget_all();
  bool some_stay = false;
  std::erase_if(all.communicators, [&](const std::unique_ptr<Communicator>& communicator) {
    if (!communicator->freed.load(std::memory_order_acquire)) return false;
    if (!communicator->all_idle() || !is_checked(*communicator)) {
      some_stay = true;
      return false;
    }
    if (communicator->node) communicator->node->leave(!communicator->had_errors);
    give_back_id(communicator->id());
    return true;
  });
  if (some_stay) all.something_freed.store(true, std::memory_order_release);
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
  for (const auto& communicator : all.communicators)
    if (communicator->handle == MPI_COMM_WORLD || communicator->handle == MPI_COMM_SELF)
      on_free(communicator->handle, MPI_KEYVAL_INVALID, communicator.get(), nullptr);
  reap_communicators();
}

}  // namespace weft::mpi
