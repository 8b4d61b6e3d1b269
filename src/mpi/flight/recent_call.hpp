// SPDX-License-Identifier: BSD-3-Clause
// RecentCall: a call of a collective whose arguments alone say what it is: datatypes that are predefined or
// kept (datatype.hpp), and a predefined operator. The next one that is made with the same arguments needs
// only its plan.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "collective/parcels.hpp"
#include "executor/processor/operation.hpp"
#include "mpi/arguments/arguments.hpp"
#include "mpi/arguments/datatype.hpp"
#include "mpi/arguments/given.hpp"
#include "mpi/arguments/overlap.hpp"
#include "mpi/arguments/side.hpp"

namespace weft::mpi {

struct Plan;

// The lists of a v or w form, as far as a call of this rank means something by them.
class KnownLists {
 public:
  // How many entries of each list mean something, of those of the send buffer and of the receive buffer.
  void take(const Lists& lists, std::size_t sent, std::size_t received);
  void take_numbers(const Lists& lists);  // where nothing else differs

  bool match(const Lists& lists) const;
  // Whether at most the numbers differ.
  bool match_but_for_numbers(const Lists& lists) const;

 private:
  bool match_types(const Lists& lists) const;
  // Hosts refuse one buffer for both only where the same lists describe them.
  static bool are_shared(const Lists& lists) {
    return lists.sendcounts.are_same_list(lists.recvcounts) && lists.sendtypes == lists.recvtypes;
  }
  std::size_t sent_ = 0, received_ = 0;
  std::vector<MPI_Count> numbers_;  // of all lists, one after another
  std::vector<MPI_Datatype> types_;
  bool shared_ = false;
};

// One of the sides of a call of which at least one is staged. Of others it knows nothing.
class KnownSide {
 public:
  void take(const Side& side, bool is_staged);
  const Side& moved_to(void* buffer) {
    side_.buffer = buffer;
    return side_;
  }

  // Where these parcels' blocks lie in a call with other counts, how long they are, and where the lowest
  // begins; `blocks`: which of the caller's each is. False where the call is to be looked at in full.
  bool measure(const Given& given, const std::vector<int>& blocks, std::vector<Parcel>& parcels,
               MPI_Count& lowest);
  void take_measured(MPI_Count lowest);  // that call is the one that is known now

 private:
  Side side_;
  std::vector<Block> next_;  // as measured
};

// What the engine has made of a call's arguments: its plan, its blocks, how it combines, and its buffers.
struct TakenCall {
  Plan& plan;
  Bytes bytes;
  const Parcels& parcels;
  const Combine& combine;
  const Side &input, &output;
  bool has_derived_types;
  std::size_t sent_entries, received_entries;         // of the lists, as far as they mean something
  std::span<const int> sent_blocks, received_blocks;  // which of the caller's each parcel is
};

class RecentCall {
 public:
  void remember(const Arguments& arguments, const TakenCall& call, Distance refused);
  void forget() {
    plan_ = nullptr;
    before_ = {};
  }

  // Whether the call is this one. If it has only more elements or fewer, and a known plan, which serves all
  // sizes of a class, this becomes that call.
  bool is(const Arguments& a, int rank, int ranks) {
    if (!matches_but_for_counts(a)) return false;
    if (has_derived_types_ && types_freed_ != kept_types_freed()) return false;
    if (has_these_counts(a)) return true;
    if (!can_follow(a)) return false;
    return has_parcels(a.collective) ? follow_blocks(a, rank, ranks) : follow_counts(a, rank, ranks);
  }

  // Whether that call differs from this one in its counts alone, so that it takes its place.
  bool could_be(const Arguments& a) const;

  Plan& plan() const { return *plan_; }
  Bytes bytes() const { return bytes_; }  // of the call
  const Parcels& parcels() const { return parcels_; }
  std::uint64_t number_of_parcels() const { return number_of_parcels_; }  // which none had before
  // An operator that the host applies is bound anew, to the operation that it belongs to.
  bool reduces_by_host() const { return combine_.apply != nullptr; }
  // Whether one of its buffers is not in memory as it travels, so that it is bound by its sides.
  bool is_staged() const { return is_staged_; }
  const Side& input_side(const Arguments& a) { return input_side_.moved_to(const_cast<void*>(a.sendbuf)); }
  const Side& output_side(const Arguments& a) { return output_side_.moved_to(a.recvbuf); }
  // Binds a call that is not staged to the caller's memory.
  void bind(Binding& binding, const Arguments& a) const {
    binding.input = static_cast<const std::byte*>(a.sendbuf) + input_;
    binding.output = static_cast<std::byte*>(a.recvbuf) + output_;
    binding.combine = combine_;
  }

 private:
  bool matches_but_for_counts(const Arguments& a) const {
    return plan_ != nullptr && a.sendtype == sendtype_ && a.recvtype == recvtype_ && a.op == op_ &&
           a.root == root_ && buffers_of(a) == buffers_;
  }
  bool has_these_counts(const Arguments& a) const {
    return a.sendcount == sendcount_ && a.recvcount == recvcount_ && distance_of(a) != refused_ &&
           (a.lists == nullptr || lists_.match(*a.lists));
  }
  bool follow_counts(const Arguments& a, int rank, int ranks);
  // The same where blocks may differ in size.
  bool follow_blocks(const Arguments& a, int rank, int ranks);
  // What matters of the two addresses: whether they are null, and whether one is MPI_IN_PLACE or both are
  // equal.
  static constexpr unsigned kSendsInPlace = 4, kEqual = 8, kReceivesInPlace = 16;
  static unsigned buffers_of(const Arguments& a) {
    return (a.sendbuf == nullptr ? 1u : 0u) | (a.recvbuf == nullptr ? 2u : 0u) |
           (a.sendbuf == MPI_IN_PLACE ? kSendsInPlace : 0u) | (a.sendbuf == a.recvbuf ? kEqual : 0u) |
           (a.recvbuf == MPI_IN_PLACE ? kReceivesInPlace : 0u);
  }

  // Whether calls with other counts may become this one.
  bool can_follow(const Arguments& a) const { return !is_staged() || has_parcels(a.collective); }

  // Makes the one of the known plans its plan that serves a call of another size; false if there is none.
  template <class Serves>
  bool change_plan(Serves serves);

  Plan* plan_ = nullptr;
  bool is_staged_ = false, has_derived_types_ = false;
  unsigned types_freed_ = 0;       // when it was remembered
  std::array<Plan*, 3> before_{};  // of calls that differ in their sizes alone, the latest first
  Bytes bytes_;
  Parcels parcels_;
  std::uint64_t number_of_parcels_ = 0;
  Combine combine_;
  MPI_Count sendcount_ = 0, recvcount_ = 0;
  Bytes sent_each_, received_each_;  // of an element, where a count says how long the call's blocks are; or 0
  MPI_Datatype sendtype_ = MPI_DATATYPE_NULL, recvtype_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  int root_ = 0;
  unsigned buffers_ = 0;
  Distance refused_ = kNoDistance;    // the distance of buffers at which the host refuses the call
  MPI_Count input_ = 0, output_ = 0;  // from the buffers' addresses to where the schedule's begin
  KnownSide input_side_, output_side_;
  KnownLists lists_;
  std::vector<int> sent_blocks_, received_blocks_;  // by parcel
  Parcels next_;  // of a call that may be one to follow: to and from the same peers
};

// The recent calls of one collective. Programs take a few in turn, such as sums of different types.
class RecentCalls {
 public:
  RecentCalls() = default;
  RecentCalls(const RecentCalls&) = delete;

  // The one that this call is; null if it is none of them.
  RecentCall* find(const Arguments& a, int rank, int ranks) {
    return latest_->is(a, rank, ranks) ? latest_ : find_earlier(a, rank, ranks);
  }
  // Where such a call is to be remembered.
  RecentCall& place_for(const Arguments& a);
  void forget() {
    for (RecentCall& one : calls_) one.forget();
  }

 private:
  static constexpr std::size_t kMost = 8;

  RecentCall* find_earlier(const Arguments& a, int rank, int ranks);

  RecentCall* latest_ = calls_.data();
  std::size_t next_ = 0;                      // whose place the next one takes
  std::array<std::uint64_t, kMost> marks_{};  // of their arguments, so that few are looked at
  std::array<RecentCall, kMost> calls_;
};

}  // namespace weft::mpi
