// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/recent_call.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "mpi/flight/plan.hpp"
#include "mpi/host/handle.hpp"
#include "transform/size_class.hpp"

namespace weft::mpi {
namespace {

constexpr MPI_Count kMostElements = MPI_Count{1} << 31;  // more are of no class

// Under the engine's lock.
std::uint64_t another_number() {
  static std::uint64_t last = 0;
  return ++last;
}

// Calls visit(list, its entries) for all lists of numbers of the form; false as soon as that returns false.
template <class Visit>
bool for_numbers(const Lists& lists, std::size_t sent, std::size_t received, Visit visit) {
  const auto visit_one = [&visit](const Numbers& list, std::size_t entries) {
    return entries == 0 || !list.are_in_form() || visit(list, entries);
  };
  return visit_one(lists.sendcounts, sent) && visit_one(lists.sdispls, sent) &&
         visit_one(lists.recvcounts, received) && visit_one(lists.rdispls, received);
}

}  // namespace

void KnownLists::take(const Lists& lists, std::size_t sent, std::size_t received) {
  sent_ = sent;
  received_ = received;
  shared_ = are_shared(lists);
  types_.clear();
  numbers_.resize(2 * (sent + received));  // at most
  take_numbers(lists);
  if (lists.sendtypes != nullptr) types_.insert(types_.end(), lists.sendtypes, lists.sendtypes + sent);
  if (lists.recvtypes != nullptr) types_.insert(types_.end(), lists.recvtypes, lists.recvtypes + received);
}

void KnownLists::take_numbers(const Lists& lists) {
  MPI_Count* next = numbers_.data();
  for_numbers(lists, sent_, received_, [&next](const Numbers& list, std::size_t entries) {
    list.visit([&](const auto* numbers) { next = std::copy(numbers, numbers + entries, next); });
    return true;
  });
}

bool KnownLists::match(const Lists& lists) const {
  const MPI_Count* known = numbers_.data();
  return match_types(lists) &&
         for_numbers(lists, sent_, received_, [&known](const Numbers& list, std::size_t entries) {
           if (list.are_missing()) return false;
           const MPI_Count* const these = std::exchange(known, known + entries);
           return list.visit(
               [&](const auto* numbers) { return std::equal(numbers, numbers + entries, these); });
         });
}

bool KnownLists::match_but_for_numbers(const Lists& lists) const {
  return match_types(lists) && for_numbers(lists, sent_, received_, [](const Numbers& list, std::size_t) {
           return !list.are_missing();
         });
}

bool KnownLists::match_types(const Lists& lists) const {
  if (are_shared(lists) != shared_) return false;
  if (types_.empty()) return true;
  const auto are = [](const MPI_Datatype* types, std::size_t entries, auto known) {
    return entries == 0 || (types != nullptr && std::equal(types, types + entries, known));
  };
  const auto received_types = types_.end() - static_cast<std::ptrdiff_t>(received_);
  return are(lists.sendtypes, sent_, types_.begin()) && are(lists.recvtypes, received_, received_types);
}

bool RecentCall::could_be(const Arguments& a) const {
  return can_follow(a) && matches_but_for_counts(a) && plan_->for_class &&
         (a.lists == nullptr || lists_.match_but_for_numbers(*a.lists));
}

template <class Serves>
bool RecentCall::change_plan(Serves serves) {
  if (serves(*plan_)) return true;
  for (Plan*& other : before_) {
    if (other == nullptr) break;
    if (!serves(*other)) continue;
    std::swap(plan_, other);
    return true;
  }
  return false;
}

bool RecentCall::follow_counts(const Arguments& a, int rank, int ranks) {
  if (!plan_->for_class || bytes_ == Bytes(0) || input_ != 0 || output_ != 0) return false;
  // Both counts change alike. One that means nothing on this rank is looked at as well: at worst the call is
  // taken for a new one.
  const auto scaled = [](Bytes each, MPI_Count now) {
    return now > 0 && now < kMostElements ? each * now : Bytes(0);
  };
  const bool has_sent = sendcount_ != 0 || a.sendcount != 0,
             has_received = recvcount_ != 0 || a.recvcount != 0;
  const Bytes sent = scaled(sent_each_, a.sendcount), received = scaled(received_each_, a.recvcount);
  const Bytes bytes = has_sent ? sent : received;
  if (bytes == Bytes(0) || (has_sent && has_received && sent != received)) return false;
  Call call = plan_->schedule.call;
  call.bytes = bytes;
  const std::optional<Bytes> largest = largest_of_class(call);
  const Distance refused = refused_distance(a, rank, ranks, true);
  if (distance_of(a) == refused) return false;
  if (!change_plan([&](const Plan& plan) { return plan.schedule.call.bytes == largest; })) return false;
  bytes_ = bytes;
  sendcount_ = a.sendcount;
  recvcount_ = a.recvcount;
  refused_ = refused;
  return true;
}

namespace {

// An element of a datatype. Size 0: it does not lie in memory as it travels, or has no bytes.
struct Element {
  MPI_Count size = 0, extent = 0;
};

Element element_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return {};
  const TypeFacts& facts = facts_of(type);
  return facts.packs_to_itself ? Element{facts.size, facts.extent} : Element{};
}

// Where the blocks of these parcels lie in bytes from the buffer on, and how long they are; where the lowest
// begins goes to `lowest`. False where the call is to be looked at in full.
template <class CountOf, class PlaceOf, class ElementOf>
bool measure(const std::vector<int>& blocks, std::vector<Parcel>& parcels, bool has_buffer, MPI_Count& lowest,
             CountOf count_of, PlaceOf place_of, ElementOf element_of) {
  constexpr MPI_Count kFar = std::numeric_limits<MPI_Count>::max();
  MPI_Count begin = kFar;
  for (std::size_t i = 0; i < parcels.size(); ++i) {
    const MPI_Count count = count_of(blocks[i]);
    if (count < 0 || count > kMostElements) return false;
    MPI_Count place = 0, size = 0;
    if (count > 0) {
      const Element element = element_of(blocks[i]);
      if (element.size == 0) return false;
      place = place_of(blocks[i], element);
      size = count * element.size;
      begin = std::min(begin, place);
    }
    parcels[i].offset = Bytes(place);
    parcels[i].size = Bytes(size);
  }
  lowest = begin == kFar ? 0 : begin;
  for (Parcel& one : parcels)
    if (one.size > Bytes(0)) one.offset -= Bytes(lowest);
  return has_buffer || begin == kFar;
}

// The same of a call that is not staged, by its arguments. Lists are read as the arrays that they are, since
// programs with many ranks have long ones.
bool measure(const Given& given, const std::vector<int>& blocks, std::vector<Parcel>& parcels,
             MPI_Count& lowest) {
  const auto with = [&](auto count_of, auto place_of, auto element_of) {
    return measure(blocks, parcels, given.buffer != nullptr, lowest, count_of, place_of, element_of);
  };
  if (given.types != nullptr)
    return with([&](int which) { return given.counts[which]; },
                [&](int which, const Element&) { return given.displacements[which]; },
                [&](int which) { return element_of(given.types[which]); });
  const auto one_for_all = [all = blocks.empty() ? Element{} : element_of(given.type)](int) { return all; };
  if (!given.counts.given())
    return with([&](int) { return given.count; },
                [&](int which, const Element& each) { return given.count * which * each.extent; },
                one_for_all);
  return given.counts.visit([&](const auto* counts) {
    const auto count_of = [counts](int which) { return MPI_Count{counts[which]}; };
    if (!given.displacements.given())
      return with(
          count_of, [](int, const Element&) { return MPI_Count{0}; }, one_for_all);
    return given.displacements.visit([&](const auto* places) {
      const auto place_of = [places](int which, const Element& each) { return places[which] * each.extent; };
      return with(count_of, place_of, one_for_all);
    });
  });
}

// The same of a staged side, whose blocks, which become those of the call, travel one behind another.
bool measure_staged(const Given& given, const std::vector<int>& which, std::vector<Block>& blocks,
                    std::vector<Parcel>& parcels) {
  if (parcels.empty()) return false;
  Bytes end;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    const MPI_Count count = given.count_of(which[i]);
    if (count < 0 || count > kMostElements) return false;
    MPI_Count at = 0, size = 0;
    if (count > 0) {
      if (given.buffer == nullptr || block.type == MPI_DATATYPE_NULL) return false;
      const TypeFacts& facts = facts_of(block.type);
      if (facts.size == 0) return false;
      at = given.place_of(which[i], facts);
      size = count * facts.size;
    }
    block.at = at;
    block.count = count;
    block.size = Bytes(size);
    block.offset = end;
    end += block.size;
  }
  const bool is_one_for_all = blocks.size() < parcels.size();
  for (std::size_t i = 0; i < parcels.size(); ++i) {
    const Block& block = blocks[is_one_for_all ? 0 : i];
    parcels[i].offset = block.offset;
    parcels[i].size = block.size;
  }
  return true;
}

// The parcels of a reduce_scatter by its counts: the parts of the vector, one behind another, and this rank's
// part, which is all of its result. False where the call is to be looked at in full.
bool measure_parts(const Arguments& a, int rank, const std::vector<int>& blocks, Parcels& parcels) {
  MPI_Count lowest;
  if (!measure({a.sendbuf, 0, a.sendtype, a.lists->recvcounts, {}}, blocks, parcels.outgoing, lowest))
    return false;
  Bytes end;
  for (Parcel& part : parcels.outgoing) {
    part.offset = end;
    end += part.size;
  }
  const Bytes own = parcels.outgoing[static_cast<std::size_t>(rank)].size;
  parcels.incoming.front().size = own;
  return own == Bytes(0) || a.recvbuf != nullptr;
}

// What a rank has for itself is what it expects from itself.
bool agree_on_own(const Parcels& parcels, int rank) {
  const auto own = [rank](const std::vector<Parcel>& list) {
    return std::find_if(list.begin(), list.end(),
                        [rank](const Parcel& one) { return one.peer.value == rank; });
  };
  const auto out = own(parcels.outgoing), in = own(parcels.incoming);
  return out == parcels.outgoing.end() || in == parcels.incoming.end() || out->size == in->size;
}

}  // namespace

void KnownSide::take(const Side& side, bool is_staged) {
  if (!is_staged) {
    side_.staged = false;
    return;
  }
  side_ = side;
  side_.number = another_number();
  next_ = side.blocks;
}

bool KnownSide::measure(const Given& given, const std::vector<int>& blocks, std::vector<Parcel>& parcels,
                        MPI_Count& lowest) {
  if (!side_.staged) return mpi::measure(given, blocks, parcels, lowest);
  lowest = 0;
  return measure_staged(given, blocks, next_, parcels);
}

void KnownSide::take_measured(MPI_Count lowest) {
  side_.lowest = lowest;
  if (side_.staged) std::swap(side_.blocks, next_);
  side_.number = another_number();
}

bool RecentCall::follow_blocks(const Arguments& a, int rank, int ranks) {
  if (!plan_->for_class || (buffers_ & (kSendsInPlace | kEqual | kReceivesInPlace)) != 0) return false;
  if (a.lists != nullptr && !lists_.match_but_for_numbers(*a.lists)) return false;
  MPI_Count input = 0, output = 0;
  if (a.collective == Collective::kReduceScatter) {
    if (!measure_parts(a, rank, sent_blocks_, next_)) return false;
  } else if (!input_side_.measure(sent(a), sent_blocks_, next_.outgoing, input) ||
             !output_side_.measure(received(a), received_blocks_, next_.incoming, output) ||
             !agree_on_own(next_, rank)) {
    return false;
  }
  const Distance refused = refused_distance(a, rank, ranks, true);
  if (distance_of(a) == refused) return false;
  if (!change_plan([&](const Plan& plan) { return are_of_class(next_, plan.schedule, plan.ways); }))
    return false;
  std::swap(parcels_, next_);
  number_of_parcels_ = another_number();
  bytes_ = Bytes(0);
  if (knows_all_blocks(a.collective))
    for (const Parcel& parcel : all_blocks(a.collective, parcels_)) bytes_ += parcel.size;
  sendcount_ = a.sendcount;
  recvcount_ = a.recvcount;
  refused_ = refused;
  input_ = input;
  output_ = output;
  if (a.lists != nullptr) lists_.take_numbers(*a.lists);
  if (is_staged_) {
    input_side_.take_measured(input);
    output_side_.take_measured(output);
  }
  return true;
}

void RecentCall::remember(const Arguments& a, const TakenCall& call, Distance refused) {
  if (matches_but_for_counts(a) && plan_->for_class && call.plan.for_class) {
    if (&call.plan != plan_) {
      const auto known = std::find(before_.begin(), before_.end() - 1, &call.plan);
      std::copy_backward(before_.begin(), known, known + 1);
      before_.front() = plan_;
    }
  } else {
    before_ = {};
  }
  plan_ = &call.plan;
  bytes_ = call.bytes;
  if (call.plan.for_class) parcels_ = next_ = call.parcels;
  number_of_parcels_ = another_number();
  combine_ = call.combine;
  combine_.context = nullptr;  // of that operation alone
  sendcount_ = a.sendcount;
  recvcount_ = a.recvcount;
  const auto each = [&](MPI_Count count) {
    return count > 0 && bytes_.value % count == 0 ? bytes_ / count : Bytes(0);
  };
  sent_each_ = each(a.sendcount);
  received_each_ = each(a.recvcount);
  sendtype_ = a.sendtype;
  recvtype_ = a.recvtype;
  op_ = a.op;
  root_ = a.root;
  buffers_ = buffers_of(a);
  refused_ = refused;
  input_ = call.input.lowest;
  output_ = call.output.lowest;
  is_staged_ = call.input.staged || call.output.staged;
  input_side_.take(call.input, is_staged_);
  output_side_.take(call.output, is_staged_);
  has_derived_types_ = call.has_derived_types;
  types_freed_ = kept_types_freed();
  sent_blocks_.assign(call.sent_blocks.begin(), call.sent_blocks.end());
  received_blocks_.assign(call.received_blocks.begin(), call.received_blocks.end());
  if (a.lists != nullptr) lists_.take(*a.lists, call.sent_entries, call.received_entries);
}

namespace {

// Equal for calls that differ in their counts and buffers alone.
std::uint64_t mark_of(const Arguments& a) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  const auto with = [](std::uint64_t mark, auto handle) {
    return std::rotl(mark, 23) * kSpread + static_cast<std::uint64_t>(key_of(handle));
  };
  return with(with(with(static_cast<std::uint64_t>(a.root), a.sendtype), a.recvtype), a.op);
}

}  // namespace

RecentCall* RecentCalls::find_earlier(const Arguments& a, int rank, int ranks) {
  const std::uint64_t mark = mark_of(a);
  for (std::size_t i = 0; i < kMost; ++i) {
    RecentCall& one = calls_[i];
    if (marks_[i] == mark && &one != latest_ && one.is(a, rank, ranks)) return latest_ = &one;
  }
  return nullptr;
}

RecentCall& RecentCalls::place_for(const Arguments& a) {
  auto place =
      std::find_if(calls_.begin(), calls_.end(), [&a](const RecentCall& one) { return one.could_be(a); });
  if (place == calls_.end()) place = calls_.begin() + static_cast<std::ptrdiff_t>(next_++ % kMost);
  marks_[static_cast<std::size_t>(place - calls_.begin())] = mark_of(a);
  return *(latest_ = &*place);
}

}  // namespace weft::mpi
