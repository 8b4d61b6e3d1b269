// SPDX-License-Identifier: BSD-3-Clause
// Port: one rank's end of an area: which operations may use it now, and what this rank has consumed.
//
// The members number their operations alike, in the order of their calls. An operation may start only when
// every member has consumed the last one that used the same memory; the caller queues it until then, in
// order.
//
// One thread at a time per Port; the members of an area run at the same time.
#pragma once

#include <algorithm>
#include <bitset>
#include <cassert>

#include "node/area.hpp"

namespace weft::node {

// An operation's place in the sequence of all: its number, which arrivals and which memory are its own.
struct Turn {
  static constexpr int kArrivalBits = 14;

  std::uint64_t operation = 0;
  std::uint64_t block = 0;  // of arrivals: most have few steps and take one; those that have more take more
  std::uint64_t after = 0;  // the last operation before it that uses the same memory
};

static_assert(kMostTurns + 2 < 1 << Turn::kArrivalBits, "members would count different blocks of arrivals");

// 7 bits of what all ranks agree on about a call (see signature_of).
inline constexpr int kSignatureBits = 7;
inline constexpr std::uint64_t kSignature = (1 << kSignatureBits) - 1;

class Port {
 public:
  // The numbers of operations, of blocks of arrivals and of calls begin where the area's communicator does.
  Port(const Area& area, int self)
      : area_(area),
        self_(self),
        own_calls_(&area.called(self, 0)),
        last_operation_(area.behind()),
        last_call_(area.behind()),
        next_block_(area.behind() + 1),
        consumed_(area.behind()),
        consumed_by_all_(area.behind()) {
    assert(area.shape().slots <= kMostSlots);
  }

  const Area& area() const { return area_; }
  int self() const { return self_; }
  // Greater than all numbers that this rank has said here, its end included.
  std::uint64_t next_number() const { return std::max({last_operation_, last_call_, next_block_}) + 1; }
  Turn next_turn(const Usage& usage) {
    const Turn turn{++last_operation_, next_block_, last_in_same_memory(last_operation_, usage)};
    next_block_ += 1 + (usage.steps >> Turn::kArrivalBits);
    return turn;
  }

  // What this rank calls next, also where nothing of it goes through the area: with another signature, or by
  // another way, the members would wait for one another for ever. Gives the call's number.
  std::uint64_t tell_call(std::uint64_t signature) {
    const std::uint64_t number = ++last_call_;
    own_calls_[number % kCalls].store(number << kSignatureBits | signature, std::memory_order_relaxed);
    return number;
  }
  // A member whose call of this number is another one; -1: none that is known.
  int find_other_call(std::uint64_t number, std::uint64_t signature) const {
    for (int member = 0; member < area_.shape().members; ++member) {
      const std::uint64_t told = area_.called(member, number).load(std::memory_order_relaxed);
      if (told >> kSignatureBits == number && (told & kSignature) != signature) return member;
    }
    return -1;
  }

  // This rank begins no more operations: it frees the communicator, or is in MPI_Finalize.
  void tell_end() { area_.not_begun(self_).store(last_operation_ + 1, std::memory_order_release); }
  // A member that will not take part in this operation; -1: none that is known.
  int find_who_ended_before(std::uint64_t operation) const {
    for (int member = 0; member < area_.shape().members; ++member) {
      const std::uint64_t not_begun = area_.not_begun(member).load(std::memory_order_acquire);
      if (not_begun > area_.behind() && not_begun <= operation) return member;
    }
    return -1;
  }

  // Looks at the other members only when what is known of them is not enough.
  bool may_start(const Turn& turn) {
    if (turn.after <= consumed_by_all_) return true;
    consumed_by_all_ = consumed_;
    for (int member = 0; member < area_.shape().members; ++member)
      if (member != self_)
        consumed_by_all_ = std::min(consumed_by_all_, area_.consumed(member).load(std::memory_order_acquire));
    consumed_by_all_ = std::max(consumed_by_all_, area_.behind());  // some may not have said anything yet
    return turn.after <= consumed_by_all_;
  }

  // The operation is over here: nothing of it is read or written any more.
  void consume(std::uint64_t operation) {
    assert(operation > consumed_ && operation <= consumed_ + kMostSlots);
    finished_.set(operation % kMostSlots);
    if (operation != consumed_ + 1) return;
    while (finished_.test((consumed_ + 1) % kMostSlots)) {
      ++consumed_;
      finished_.reset(consumed_ % kMostSlots);
    }
    area_.consumed(self_).store(consumed_, std::memory_order_release);
  }

 private:
  std::uint64_t last_in_same_memory(std::uint64_t operation, const Usage& usage) const {
    const AreaShape::Counts &all = area_.counts(), &young = area_.young_counts();
    const auto room = static_cast<std::size_t>(usage.room);
    std::uint64_t ahead = kMostSlots;
    const std::uint64_t nth = operation - area_.behind();
    // So many operations behind the young ones as these went through meet what one of these had last.
    const auto use = [&](int of_all, int of_young) {
      const bool had_by_young = nth < kYoung + static_cast<std::uint64_t>(of_young);
      ahead = std::min(ahead, static_cast<std::uint64_t>(had_by_young ? of_young : of_all));
    };
    use(all.slots, young.slots);
    if (usage.lines > 1) use(all.deep_slots, young.deep_slots);
    use(all.rooms[room], young.rooms[room]);  // of smaller rooms there are no fewer
    return operation - std::min(nth, ahead);
  }

  Area area_;
  int self_;
  Word* own_calls_;
  std::uint64_t last_operation_;
  std::uint64_t last_call_;
  std::uint64_t next_block_;
  std::uint64_t consumed_;
  std::bitset<kMostSlots> finished_;  // by operation, modulo kMostSlots: it is over, an earlier one is not
  std::uint64_t consumed_by_all_;
};

}  // namespace weft::node
