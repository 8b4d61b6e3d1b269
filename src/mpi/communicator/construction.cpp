// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/construction.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>

#include "mpi/communicator/adoption.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/communicator/introductions.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/waits.hpp"
#include "observe/timers.hpp"

namespace weft::mpi {

using node::Letters;
using Sheet = Letters::Sheet;

struct Construction::Text {
  Introduction introduction;
  Split split;         // by which everybody knows the members of what a split makes
  int memory_for = 0;  // for how many members the first sheet says where the memory lies; 0: it does not
};

Construction::Construction(MPI_Comm parent, MPI_Info info, Kind kind, Split split)
    : parent_(parent), info_(info), kind_(kind) {
  static_assert(Bytes(sizeof(Text)) <= Letters::kText && std::is_trivially_copyable_v<Text>);
  if (!engine().active.load(std::memory_order_acquire) || kind == Kind::kOfSome || parent == MPI_COMM_NULL)
    return;
  const Making making(communicators_constructed, Making::Counts::kNothing);
  const Hints hints = hints_in(info);
  const InEngine inside;
  Communicator* found = find_communicator(parent);
  if (found == nullptr || !found->all_are_here || !found->constructs_by_letters || found->is_constructing)
    return;
  found->is_constructing = true;
  number_ = found->node->next_letter();
  served_ = found;
  const Letters letters = found->node->letters();
  reap_communicators();  // for what they give back
  mine_ = new (letters.text(found->rank, number_)) Text{introduce_myself(hints), split};
  offer_memory_ahead();
  letters.send(found->rank, number_, Sheet::kFirst);
}

// Says where the memory lies with the letter already, if this process expects to be rank 0 of what is made:
// programs that split the same communicator time and again mostly do it in the same way. If a split would get
// less than the best memory now, it waits: there may be more when the other members have left what they had
// before. The caller holds the engine's lock.
void Construction::offer_memory_ahead() {
  const bool is_duplicate = kind_ == Kind::kDuplicate;
  const auto& [last, one_before] = served_->was_first_of;
  int expected = last == one_before ? last : 0;
  if (is_duplicate) expected = served_->rank == 0 ? served_->size : 0;
  if (kind_ == Kind::kSplit && mine_->split.color == MPI_UNDEFINED) expected = 0;
  Introduction& mine = mine_->introduction;
  if (expected == 0 || mine.serves == 0) return;
  mine.memory =
      offer_memory_for(expected, is_duplicate ? node::Pool::Choice::kAny : node::Pool::Choice::kBest);
  if (is_duplicate || mine.memory.exists) mine_->memory_for = expected;
}

// The host's part failed: on all members, on this one before it took part, or on some as they took part. So
// the others are in this construction still, or behind it, and this member writes no further letters.
Construction::~Construction() {
  if (served_ == nullptr) return;
  const InEngine inside;
  withdraw(mine_->introduction);
  served_->node->letters().stop(served_->rank, number_);
  served_->constructs_by_letters = false;
  served_->is_constructing = false;
}

// The caller holds the engine's lock.
void Construction::offer_memory_to(int members) {
  Introduction& mine = mine_->introduction;
  withdraw(std::exchange(mine.memory, {}));
  if (members == 0) return;
  if (mine.serves != 0) mine.memory = offer_memory_for(members);
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

const Construction::Text& Construction::text_of(int member) const {
  return *std::launder(reinterpret_cast<const Text*>(served_->node->letters().text(member, number_)));
}

// In the order of MPI_Comm_split: by key, and by rank in the parent where keys are the same. Everybody's
// letter has come.
std::vector<int> Construction::members_of_my_color() const {
  std::vector<int> members;
  members.reserve(static_cast<std::size_t>(served_->size));
  for (int member = 0; member < served_->size; ++member)
    if (text_of(member).split.color == mine_->split.color) members.push_back(member);
  std::ranges::sort(members, {}, [&](int member) { return std::pair(text_of(member).split.key, member); });
  return members;
}

// With everybody's letter the members of a split are known; else the host is asked what it has made.
std::vector<int> Construction::members_of(MPI_Comm made, bool all_have_written) const {
  if (made == MPI_COMM_NULL) return {};
  if (kind_ == Kind::kSplit && all_have_written) return members_of_my_color();
  if (kind_ != Kind::kDuplicate) return ranks_in(made, parent_);
  std::vector<int> all(static_cast<std::size_t>(served_->size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<const Introduction*> Construction::told_by(const std::vector<int>& members) const {
  static const Introduction does_not_serve;
  const Letters letters = served_->node->letters();
  std::vector<const Introduction*> told;
  told.reserve(members.size());
  for (const int member : members) {
    const bool has_written = letters.has_come(member, number_, Sheet::kFirst);
    told.push_back(has_written ? &text_of(member).introduction : &does_not_serve);
  }
  if (told.front() == &does_not_serve) return {};
  const bool first_sheet_says_all = text_of(members.front()).memory_for == static_cast<int>(members.size());
  if (!first_sheet_says_all && !has_come(*served_, number_, members.front(), Sheet::kSecond)) return {};
  return told;
}

// If a member of what was made writes no letters, this construction goes on as one that has none.
std::vector<int> Construction::wait_for_letters(MPI_Comm made) {
  const Making making(communicators_constructed, Making::Counts::kNothing);
  // The letters of all members of the parent are waited for, also of those who are not in the new
  // communicator: what letters.hpp says of two letters being enough rests on that.
  int missing = 0;
  for (int member = 0; member < served_->size; ++member)
    missing += has_come(*served_, number_, member, Sheet::kFirst) ? 0 : 1;
  std::vector<int> members = members_of(made, missing == 0);
  if (!some_stopped(*served_, number_, members)) return members;
  const InEngine inside;
  withdraw(mine_->introduction);
  std::exchange(served_, nullptr)->is_constructing = false;
  return members;
}

void Construction::adopt(MPI_Comm made) {
  const std::vector<int> members = served_ != nullptr ? wait_for_letters(made) : std::vector<int>();
  if (served_ == nullptr) return weft::mpi::adopt(made, parent_, info_);
  // Not where this process is no member of what was made, or where some members are not in the parent.
  const bool may_serve = !members.empty();
  const Making making(communicators_constructed, may_serve ? Making::Counts::kOne : Making::Counts::kNothing);
  const int size = static_cast<int>(members.size());
  const int first_of = size > 1 && members.front() == served_->rank ? size : 0;
  if (mine_->memory_for != first_of) {
    const InEngine inside;
    offer_memory_to(first_of);
  }
  std::vector<int> world_ranks;
  world_ranks.reserve(members.size());
  for (const int rank : members) world_ranks.push_back(served_->world_rank[static_cast<std::size_t>(rank)]);
  const std::vector<const Introduction*> told =
      size > 1 ? told_by(members) : std::vector<const Introduction*>();
  const Hints hints = hints_in(info_);
  const InEngine inside;
  if (size > 1) {
    serve_introduced(made, std::move(world_ranks), mine_->introduction, told, hints);
  } else {
    withdraw(mine_->introduction);
    if (may_serve) serve_alone(made, std::move(world_ranks), hints);
  }
  if (kind_ != Kind::kDuplicate) served_->was_first_of = {first_of, served_->was_first_of[0]};
  std::exchange(served_, nullptr)->is_constructing = false;
}

}  // namespace weft::mpi
