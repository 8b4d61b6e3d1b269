// SPDX-License-Identifier: BSD-3-Clause
// Port: one rank's end of an area: which operations may use it now, and what this rank has consumed.
//
// The members number their operations alike, in the order of their calls. Operation n may start only when
// every member has consumed the one that used its slot before; the caller queues it until then, in order.
//
// One thread at a time per Port; the members of an area run at the same time.
#pragma once

#include <algorithm>
#include <cassert>

#include "node/area.hpp"

namespace weft::node {

// An operation's place in the sequence of all: its number, and which arrivals are its own. Nearly all have
// few steps and take one block of arrivals; one that has more takes more blocks.
struct Turn {
  static constexpr int kArrivalBits = 14;

  std::uint64_t operation = 0;
  std::uint64_t block = 0;
};

// 7 bits of what all ranks agree on about a call (see signature_of).
inline constexpr int kSignatureBits = 7;
inline constexpr std::uint64_t kSignature = (1 << kSignatureBits) - 1;

class Port {
 public:
  // `first_block`: of arrivals, greater than any that the area has seen.
  Port(const Area& area, int self, std::uint64_t first_block = 1)
      : area_(area), self_(self), own_calls_(&area.called(self, 0)), next_block_(first_block) {}

  const Area& area() const { return area_; }
  std::uint64_t next_block() const { return next_block_; }
  // `steps` on any of its lines, the same for all members.
  Turn next_turn(std::uint64_t steps) {
    const Turn turn{++last_operation_, next_block_};
    next_block_ += 1 + (steps >> Turn::kArrivalBits);
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

  // Looks at the other members only when what is known of them is not enough.
  bool may_start(std::uint64_t operation, bool uses_sets) {
    const auto depth =
        static_cast<std::uint64_t>(uses_sets ? std::min(area_.shape().slots, kSets) : area_.shape().slots);
    if (operation <= consumed_by_all_ + depth) return true;
    consumed_by_all_ = consumed_;
    for (int member = 0; member < area_.shape().members; ++member)
      if (member != self_)
        consumed_by_all_ = std::min(consumed_by_all_, area_.consumed(member).load(std::memory_order_acquire));
    return operation <= consumed_by_all_ + depth;
  }

  // The operation is over here: nothing of it is read or written any more.
  void consume(std::uint64_t operation) {
    assert(operation > consumed_ && operation <= consumed_ + 64);
    finished_ |= std::uint64_t{1} << (operation - consumed_ - 1);
    if ((finished_ & 1) == 0) return;
    do {
      finished_ >>= 1;
      ++consumed_;
    } while ((finished_ & 1) != 0);
    area_.consumed(self_).store(consumed_, std::memory_order_release);
  }

 private:
  Area area_;
  int self_;
  Word* own_calls_;
  std::uint64_t last_operation_ = 0;
  std::uint64_t last_call_ = 0;
  std::uint64_t next_block_;
  std::uint64_t consumed_ = 0;
  std::uint64_t finished_ = 0;  // bit i: operation consumed_ + 1 + i is over, an earlier one is not
  std::uint64_t consumed_by_all_ = 0;
};

}  // namespace weft::node
