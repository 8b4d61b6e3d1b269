// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/adoption.hpp"

#include <array>
#include <cstring>
#include <new>
#include <type_traits>
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
// With what freed communicators have given back. The caller holds the engine's lock.
Introduction introduction_with(const Hints& hints) {
  reap_communicators();
  return introduce_myself(hints);
}
Introduction introduction_of(MPI_Comm comm, const std::vector<int>& world_ranks, const Hints& hints) {
  const InEngine inside;
  Introduction mine = introduction_with(hints);
  if (mine.serves != 0) mine.memory = offer_memory(world_ranks, rank_in(comm));
  return mine;
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

using Part = node::Letters::Part;
static_assert(Bytes(sizeof(Introduction)) <= node::Letters::kText &&
              std::is_trivially_copyable_v<Introduction>);

Construction::Construction(MPI_Comm parent, MPI_Info info, Makes makes) : parent_(parent), info_(info) {
  if (!engine().active.load(std::memory_order_acquire) || parent == MPI_COMM_NULL) return;
  const Making making(communicators_constructed, Making::Counts::kNothing);
  const InEngine inside;
  Communicator* found = find_communicator(parent);
  if (found == nullptr || !found->letters || found->is_constructing) return;
  found->is_constructing = true;
  number_ = ++found->constructions;
  served_ = found;
  mine_ = new (found->letters->text(found->rank, number_)) Introduction(introduction_with(hints_in(info)));
  if (makes == Makes::kDuplicate && found->rank == 0) offer_memory_to(found->world_rank);
  found->letters->send(found->rank, number_, Part::kFirst);
}

// The host's part failed, on all members or on this one before it took part.
Construction::~Construction() {
  if (served_ == nullptr) return;
  const InEngine inside;
  withdraw(*mine_);
  served_->letters->take_back(served_->rank, number_);
  --served_->constructions;
  served_->is_constructing = false;
}

// The caller holds the engine's lock.
void Construction::offer_memory_to(std::span<const int> world_ranks) {
  if (mine_->serves != 0) mine_->memory = offer_memory(world_ranks, 0);
  served_->letters->send(served_->rank, number_, Part::kSecond);
}

void Construction::offer_memory_as_first(int first, std::span<const int> world_ranks) {
  if (first != served_->rank || served_->letters->has_come(first, number_, Part::kSecond)) return;
  const InEngine inside;
  offer_memory_to(world_ranks);
}

bool Construction::has_come(int member, Part part) const {
  const std::span only(&served_->world_rank[static_cast<std::size_t>(member)], 1);
  const auto has_come = [&] { return served_->letters->has_come(member, number_, part); };
  if (!has_come()) wait_until([&] { return has_come() || some_ended(only); });
  return has_come();
}

std::vector<Introduction> Construction::letters_of(std::span<const int> members) const {
  std::vector<Introduction> letters(members.size());
  if (members.empty() || !has_come(members.front(), Part::kSecond)) return letters;
  for (std::size_t who = 0; who < members.size(); ++who)
    if (has_come(members[who], Part::kFirst))
      std::memcpy(&letters[who], served_->letters->text(members[who], number_), sizeof(Introduction));
  return letters;
}

void Construction::adopt(MPI_Comm made) {
  if (served_ == nullptr) return weft::mpi::adopt(made, parent_, info_);
  const bool is_member = made != MPI_COMM_NULL;
  const Making making(communicators_constructed, is_member ? Making::Counts::kOne : Making::Counts::kNothing);
  const std::vector<int> members = is_member ? ranks_in(made, parent_) : std::vector<int>();
  std::vector<int> world_ranks;
  world_ranks.reserve(members.size());
  for (const int rank : members) world_ranks.push_back(served_->world_rank[static_cast<std::size_t>(rank)]);
  std::vector<Introduction> letters;
  if (members.size() > 1) {
    offer_memory_as_first(members.front(), world_ranks);
    letters = letters_of(members);
  }
  for (int member = 0; member < served_->size; ++member) has_come(member, Part::kFirst);
  const InEngine inside;
  if (members.size() > 1) {
    serve_introduced(made, Introductions(world_ranks, *mine_, std::move(letters)), hints_in(info_));
  } else {
    withdraw(*mine_);
    if (is_member) serve_alone(made, world_ranks, hints_in(info_));
  }
  std::exchange(served_, nullptr)->is_constructing = false;
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
