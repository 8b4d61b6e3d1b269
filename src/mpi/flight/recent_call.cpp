// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/recent_call.hpp"

#include <algorithm>

#include "mpi/flight/plan.hpp"
#include "transform/resize.hpp"

namespace weft::mpi {
namespace {

constexpr MPI_Count kMostElements = MPI_Count{1} << 31;  // more are of no class

// Calls visit(list, its entries) for all lists of numbers of the form; false as soon as that returns false.
template <class Visit>
bool for_numbers(const Lists& lists, std::size_t sent, std::size_t received, Visit visit) {
  for (const auto& [list, entries] :
       {std::pair(&lists.sendcounts, sent), std::pair(&lists.sdispls, sent),
        std::pair(&lists.recvcounts, received), std::pair(&lists.rdispls, received)})
    if (list->are_in_form() && entries > 0 && !visit(*list, entries)) return false;
  return true;
}

}  // namespace

void KnownLists::take(const Lists& lists, std::size_t sent, std::size_t received) {
  sent_ = sent;
  received_ = received;
  shared_ = are_shared(lists);
  types_.clear();
  numbers_.resize(2 * (sent + received));  // at most
  MPI_Count* next = numbers_.data();
  for_numbers(lists, sent, received, [&next](const Numbers& list, std::size_t entries) {
    for (std::size_t i = 0; i < entries; ++i) *next++ = list[static_cast<int>(i)];
    return true;
  });
  if (lists.sendtypes != nullptr) types_.insert(types_.end(), lists.sendtypes, lists.sendtypes + sent);
  if (lists.recvtypes != nullptr) types_.insert(types_.end(), lists.recvtypes, lists.recvtypes + received);
}

bool KnownLists::match(const Lists& lists) const {
  if (are_shared(lists) != shared_) return false;
  const MPI_Count* next = numbers_.data();
  const bool same = for_numbers(lists, sent_, received_, [&](const Numbers& list, std::size_t entries) {
    if (list.are_missing()) return false;
    for (std::size_t i = 0; i < entries; ++i)
      if (list[static_cast<int>(i)] != *next++) return false;
    return true;
  });
  if (!same || types_.empty()) return same;
  const auto are = [](const MPI_Datatype* types, std::size_t entries, auto known) {
    return entries == 0 || (types != nullptr && std::equal(types, types + entries, known));
  };
  const auto received_types = types_.end() - static_cast<std::ptrdiff_t>(received_);
  return are(lists.sendtypes, sent_, types_.begin()) && are(lists.recvtypes, received_, received_types);
}

bool RecentCall::follow_counts(const Arguments& a, int rank, int ranks) {
  if (!matches_but_for_counts(a) || !plan_->for_class || a.lists != nullptr) return false;
  if (bytes_ == Bytes(0) || input_ != 0 || output_ != 0) return false;
  // Both counts change alike. One that means nothing on this rank is looked at as well: at worst the call is
  // taken for a new one.
  const auto scaled = [&](MPI_Count then, MPI_Count now) -> Bytes {
    return then > 0 && now > 0 && now < kMostElements && bytes_.value % then == 0
               ? Bytes(bytes_.value / then * now)
               : Bytes(0);
  };
  const bool has_sent = sendcount_ != 0 || a.sendcount != 0,
             has_received = recvcount_ != 0 || a.recvcount != 0;
  const Bytes sent = scaled(sendcount_, a.sendcount), received = scaled(recvcount_, a.recvcount);
  const Bytes bytes = has_sent ? sent : received;
  if (bytes == Bytes(0) || (has_sent && has_received && sent != received)) return false;
  Call call = plan_->schedule.call;
  call.bytes = bytes;
  if (largest_of_class(call) != plan_->schedule.call.bytes) return false;
  const Distance refused = refused_distance(a, rank, ranks, true);
  if (distance_of(a) == refused) return false;
  bytes_ = bytes;
  sendcount_ = a.sendcount;
  recvcount_ = a.recvcount;
  refused_ = refused;
  return true;
}

void RecentCall::remember(const Arguments& a, const TakenCall& call, Distance refused) {
  plan_ = &call.plan;
  bytes_ = call.bytes;
  if (call.plan.for_class) parcels_ = call.parcels;
  combine_ = call.combine;
  sendcount_ = a.sendcount;
  recvcount_ = a.recvcount;
  sendtype_ = a.sendtype;
  recvtype_ = a.recvtype;
  op_ = a.op;
  root_ = a.root;
  buffers_ = buffers_of(a);
  refused_ = refused;
  input_ = call.input;
  output_ = call.output;
  if (a.lists != nullptr) lists_.take(*a.lists, call.sent_entries, call.received_entries);
}

}  // namespace weft::mpi
