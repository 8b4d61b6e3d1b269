// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <utility>

#include "mpi/deaths.hpp"
#include "mpi/engine.hpp"
#include "mpi/front_door.hpp"
#include "mpi/handle.hpp"
#include "mpi/statistics.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kMaskWords = kMostCommunicators / 64;
constexpr auto kPatience = std::chrono::seconds(10);

// What every member brings to the agreement; combined by bitwise AND.
struct Offer {
  std::uint64_t serves = 1;   // every member can, and the agreement itself went well
  std::uint64_t ready = 1;    // no other thread of a member is in the middle of an agreement
  std::uint64_t patient = 1;  // no member wants to give up
  // A number that no other communicator has, from rank 0; all others offer ones.
  std::uint64_t birth = ~std::uint64_t{0};
  std::array<std::uint64_t, kMaskWords> free_ids{};
  std::uint64_t hints = 0, inverse_of_hints = 0;  // a Fingerprint
};

struct Registry {
  Registry() { free_ids.fill(~std::uint64_t{0}); }

  Communicator::Settings job_settings;
  int keyval = MPI_KEYVAL_INVALID;               // of the state
  int within_world_keyval = MPI_KEYVAL_INVALID;  // of is_within_world's answer
  int of_served_keyval = MPI_KEYVAL_INVALID;     // on inter-communicators of what Weft serves
  MPI_Group world = MPI_GROUP_NULL;
  std::array<std::uint64_t, kMaskWords> free_ids;
  std::atomic<std::uint64_t> births{1};
  std::atomic<bool> agreeing{false};  // one thread at a time may give ids away
  std::vector<std::unique_ptr<Communicator>> communicators;
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

// May run inside the host's own locks, so it only leaves a note; and after Weft has ended.
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

Offer agree(MPI_Comm comm, const std::vector<int>& world_ranks, Offer offer) {
  auto* words = reinterpret_cast<std::uint64_t*>(&offer);
  if (allreduce_words(comm, world_ranks, {words, sizeof offer / sizeof *words}, MPI_BAND) != MPI_SUCCESS)
    offer.serves = 0;
  return offer;
}

struct Identity {
  int id = -1;  // the lowest number that is free on all members; -1: Weft does not serve the communicator
  std::uint64_t birth = 0;
  bool same_hints = true;
};

// When a member's other thread is agreeing as well, its numbers cannot be promised, and everybody sees that
// and tries again.
Identity agree_on_identity(MPI_Comm comm, const std::vector<int>& world_ranks, const Fingerprint& hints,
                           bool serves) {
  const auto begin = std::chrono::steady_clock::now();
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  for (;;) {
    Offer mine;
    mine.serves = serves;
    mine.hints = hints.bits;
    mine.inverse_of_hints = hints.inverse;
    if (rank == 0)
      mine.birth = static_cast<std::uint64_t>(world_ranks[0] + 1) << 40 | registry().births.fetch_add(1);
    mine.patient = std::chrono::steady_clock::now() - begin < kPatience;
    mine.ready = !registry().agreeing.exchange(true, std::memory_order_acquire);
    if (mine.ready) {
      const InEngine inside;
      reap_communicators();
      mine.free_ids = registry().free_ids;
    }
    const Offer all = agree(comm, world_ranks, mine);
    int id = -1;
    for (std::size_t word = 0; all.serves && all.ready && id < 0 && word < kMaskWords; ++word)
      if (all.free_ids[word] != 0) id = static_cast<int>(word * 64) + std::countr_zero(all.free_ids[word]);
    if (id >= 0) {
      const InEngine inside;
      registry().free_ids[static_cast<std::size_t>(id) / 64] &= ~(std::uint64_t{1} << (id % 64));
    }
    if (mine.ready) registry().agreeing.store(false, std::memory_order_release);
    if (id >= 0 || !all.serves || all.ready || !all.patient)
      return {id, all.birth, all_agree(all.hints, all.inverse_of_hints)};
    ::sched_yield();
  }
}

Way way_of(const Placement& placement) {
  if (!placement.one_node) return placement.hierarchy != nullptr ? Way::kNodes : Way::kMessages;
  return placement.slot_bytes > Bytes(0) ? Way::kMemory : Way::kLines;
}

}  // namespace

Communicator::Communicator(MPI_Comm comm, int number, std::uint64_t birth, std::vector<int> world_ranks,
                           Settings given)
    : handle(comm),
      settings(std::move(given)),
      id(number),
      world_rank(std::move(world_ranks)),
      transport(engine().transport_comm, engine().ordinal_bits, world_rank) {
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  if (size == 1) return;
  if (settings->check) checker = std::make_unique<Checker>(*this);
  node = share_node(world_rank, rank, id, birth);
  const bool one_node = is_one_node(world_rank);
  Bytes slot_bytes = node ? node->shape().slot_bytes : Bytes(0);
  has_lines = node != nullptr;
  if (!one_node) {  // nodes may have got different amounts of memory: all use what the poorest has
    std::array<std::uint64_t, 2> least = {has_lines ? 1u : 0u, static_cast<std::uint64_t>(slot_bytes.value)};
    allreduce_words(comm, world_rank, least, MPI_MIN);
    has_lines = least[0] != 0;
    slot_bytes = Bytes(static_cast<std::int64_t>(least[1]));
  }
  placement = {.one_node = one_node && has_lines,
               .slot_bytes = slot_bytes,
               .in_flight = settings->node.in_flight,
               .single_copy = one_node && has_lines && reach_each_other(),
               .single_copy_from = settings->node.single_copy,
               .hierarchy = nullptr,
               .thresholds = settings->thresholds};
  if (has_lines) follow_hierarchy();
  if (rank == 0) communicators_made()[static_cast<std::size_t>(way_of(placement))].fetch_add(1);
}

CommunicatorCounters& communicators_made() {
  static CommunicatorCounters& counters = *new CommunicatorCounters{};
  return counters;
}

void Communicator::follow_hierarchy() {
  // On one node a single group of all is what its memory is anyway.
  const std::string& depth = settings->hierarchy;
  const bool is_one_group = size <= Hierarchy::kMostAtOneLine && (depth == "node" || depth == "flat");
  const bool needs_none = placement.one_node && is_one_group;
  hierarchy = needs_none ? nullptr : hierarchy_over(world_rank, depth);
  if (placement.one_node && hierarchy && (hierarchy->depth() == "flat" || hierarchy->tiers().size() == 1))
    hierarchy = nullptr;
  placement.hierarchy = hierarchy.get();
}

void Communicator::plan_by(Settings given) {
  std::erase_if(former_plans, [](const PlanCache<Plan>& idle) { return idle.all_idle(); });
  former_plans.push_back(std::exchange(plans, {}));
  recent = {};
  settings = std::move(given);
  if (has_lines) follow_hierarchy();
}

bool Communicator::all_idle() const {
  return in_flight == 0 && plans.all_idle() &&
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
  const Fingerprint mine(hints);
  std::array<std::uint64_t, 2> all = {mine.bits, mine.inverse};
  if (allreduce_words(comm, communicator->world_rank, all, MPI_BAND) != MPI_SUCCESS) return;
  const bool same = all_agree(all[0], all[1]);
  if (same && hints.empty()) return;
  const InEngine inside;
  communicator->plan_by(settings_with(hints, same, communicator->settings));
}

namespace {

// Weft serves it; an inter-communicator: what it was made of.
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

}  // namespace

// Of what Weft does not serve nothing is served that comes of it: it may be a session's, and Open MPI 5 lets
// nobody wait for requests of a session and of the world at once. Of two groups one may be.
void adopt(MPI_Comm comm, MPI_Comm parent, MPI_Info info) {
  if (!engine().active.load(std::memory_order_acquire) || comm == MPI_COMM_NULL) return;
  const bool serves = parent == MPI_COMM_NULL || is_served(parent);
  if (is_inter(comm)) {
    if (serves) PMPI_Comm_set_attr(comm, registry().of_served_keyval, &registry());
    return;
  }
  if (!serves && !is_inter(parent)) return;
  int size = 0;
  PMPI_Comm_size(comm, &size);
  std::vector<int> ranks = world_ranks_of(comm);
  if (ranks.empty()) return;  // every member sees a foreigner, so nobody asks for an agreement
  const Hints hints = hints_in(info);
  const Identity identity =
      size > 1 ? agree_on_identity(comm, ranks, Fingerprint(hints), serves) : Identity();
  if (size > 1 && identity.id < 0) return;
  auto state =
      std::make_unique<Communicator>(comm, identity.id, identity.birth, std::move(ranks),
                                     settings_with(hints, identity.same_hints, registry().job_settings));
  Communicator* communicator = state.get();
  {
    const InEngine inside;
    registry().communicators.push_back(std::move(state));
  }
  PMPI_Comm_set_attr(comm, registry().keyval, communicator);
  MPI_Comm freed = comm;  // by this handle, another one
  registry().being_freed.compare_exchange_strong(freed, MPI_COMM_NULL);
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
    const bool is_known = communicator->id < 0 ||
                          is_told_to_all(communicator->world_rank, communicator->rank, communicator->id);
    if (!communicator->all_idle() || !is_known || !is_checked(*communicator)) {
      some_stay = true;
      return false;
    }
    const int id = communicator->id;
    if (communicator->node) communicator->node->leave(!communicator->had_errors);
    if (id >= 0) all.free_ids[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (id % 64);
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
