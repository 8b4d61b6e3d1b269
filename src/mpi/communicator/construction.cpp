// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/construction.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>

#include "mpi/communicator/adoption.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/communicator/introduction.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/waits.hpp"
#include "observe/timers.hpp"

namespace weft::mpi {

using node::Letters;
using Sheet = Letters::Sheet;
static_assert(Bytes(sizeof(Introduction)) <= Letters::kText && std::is_trivially_copyable_v<Introduction>);

Construction::Construction(MPI_Comm parent, MPI_Info info, Kind kind)
    : parent_(parent), info_(info), kind_(kind) {
  if (!engine().active.load(std::memory_order_acquire) || kind == Kind::kOfSome || parent == MPI_COMM_NULL)
    return;
  const Making making(communicators_constructed, Making::Counts::kNothing);
  const Hints hints = hints_in(info);
  const InEngine inside;
  Communicator* found = find_communicator(parent);
  if (found == nullptr || !found->all_are_here || !found->constructs_by_letters || found->is_constructing)
    return;
  found->is_constructing = true;
  number_ = ++found->constructions;
  served_ = found;
  const Letters letters = found->node->letters();
  reap_communicators();  // for what they give back
  mine_ = new (letters.text(found->rank, number_)) Introduction(introduce_myself(hints));
  if (kind == Kind::kDuplicate && found->rank == 0) offer_memory_to(found->world_rank);
  letters.send(found->rank, number_, Sheet::kFirst);
}

// The host's part failed: on all members, on this one before it took part, or on some as they took part. So
// the others are in this construction still, or behind it, and this member writes no further letters.
Construction::~Construction() {
  if (served_ == nullptr) return;
  const InEngine inside;
  withdraw(*mine_);
  served_->node->letters().stop(served_->rank, number_);
  served_->constructs_by_letters = false;
  served_->is_constructing = false;
}

// The caller holds the engine's lock.
void Construction::offer_memory_to(std::span<const int> world_ranks) {
  if (mine_->serves != 0) mine_->memory = offer_memory(world_ranks, 0);
  served_->node->letters().send(served_->rank, number_, Sheet::kSecond);
}

namespace {

// Waits for a sheet of a member's letter; false if the member has ended without it, or stopped writing.
bool has_come(const Communicator& parent, std::uint64_t number, int member, Sheet sheet) {
  const Letters letters = parent.node->letters();
  const auto is_there = [&] { return letters.has_come(member, number, sheet); };
  const std::span only(&parent.world_rank[static_cast<std::size_t>(member)], 1);
  if (!is_there()) wait_until([&] { return is_there() || letters.has_stopped(member) || some_ended(only); });
  return is_there();
}

// Whether one of these has stopped writing, before this letter. Who failed is no member of what the others
// have made, or has called again: then it had stopped before the host's constructor, in which all members
// meet, came to its end. So all members of one communicator see the same.
bool some_stopped(const Communicator& parent, std::uint64_t number, std::span<const int> members) {
  const Letters letters = parent.node->letters();
  return std::any_of(members.begin(), members.end(), [&](int member) {
    return !letters.has_come(member, number, Sheet::kFirst) && letters.has_stopped(member);
  });
}

}  // namespace

std::vector<int> Construction::members_of(MPI_Comm made) const {
  if (made == MPI_COMM_NULL) return {};
  if (kind_ != Kind::kDuplicate) return ranks_in(made, parent_);
  std::vector<int> all(static_cast<std::size_t>(served_->size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<Introduction> Construction::letters_of(std::span<const int> members) const {
  std::vector<Introduction> all(members.size());
  if (!has_come(*served_, number_, members.front(), Sheet::kSecond)) return all;
  const Letters letters = served_->node->letters();
  for (std::size_t who = 0; who < members.size(); ++who)
    if (letters.has_come(members[who], number_, Sheet::kFirst))
      std::memcpy(&all[who], letters.text(members[who], number_), sizeof(Introduction));
  return all;
}

// The members of what was made. If one of them writes no letters, this construction goes on as one that has
// none.
std::vector<int> Construction::wait_for_letters(MPI_Comm made) {
  const Making making(communicators_constructed, Making::Counts::kNothing);
  std::vector<int> members = members_of(made);
  // The letters of all members of the parent are waited for, also of those who are not in the new
  // communicator: what letters.hpp says of two letters being enough rests on that.
  for (int member = 0; member < served_->size; ++member) has_come(*served_, number_, member, Sheet::kFirst);
  if (!some_stopped(*served_, number_, members)) return members;
  const InEngine inside;
  withdraw(*mine_);
  std::exchange(served_, nullptr)->is_constructing = false;
  return members;
}

void Construction::adopt(MPI_Comm made) {
  const std::vector<int> members = served_ != nullptr ? wait_for_letters(made) : std::vector<int>();
  if (served_ == nullptr) return weft::mpi::adopt(made, parent_, info_);
  // Not where this process is no member of what was made, or where some members are not in the parent.
  const bool may_serve = !members.empty();
  const Making making(communicators_constructed, may_serve ? Making::Counts::kOne : Making::Counts::kNothing);
  std::vector<int> world_ranks;
  world_ranks.reserve(members.size());
  for (const int rank : members) world_ranks.push_back(served_->world_rank[static_cast<std::size_t>(rank)]);
  std::vector<Introduction> letters;
  if (members.size() > 1) {
    const bool is_first = members.front() == served_->rank;
    if (is_first && kind_ != Kind::kDuplicate) {
      const InEngine inside;
      offer_memory_to(world_ranks);
    }
    letters = letters_of(members);
  }
  const Hints hints = hints_in(info_);
  const InEngine inside;
  if (members.size() > 1) {
    serve_introduced(made, std::move(world_ranks), *mine_, letters, hints);
  } else {
    withdraw(*mine_);
    if (may_serve) serve_alone(made, std::move(world_ranks), hints);
  }
  std::exchange(served_, nullptr)->is_constructing = false;
}

}  // namespace weft::mpi
