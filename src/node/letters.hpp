// SPDX-License-Identifier: BSD-3-Clause
// Letters: what each member of a communicator tells all others whenever they make another one of it. A letter
// has two sheets, of which the second may come later, or never.
//
// A member has two letters and uses them in turn. Invariant: nobody writes into a letter that somebody still
// reads. Whoever writes its letter n + 2 has seen the first sheet of everybody's n + 1, and each of these
// came when its writer had read what it needed of n. Who has stopped writing reads none either.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace weft::node {

class Letters {
 public:
  using Number = std::atomic<std::uint64_t>;
  enum class Sheet : std::uint8_t { kFirst, kSecond };
  static constexpr Bytes kLetter{256}, kText = kLetter - Bytes(2 * sizeof(Number));
  static constexpr Bytes size_for(int members) { return kLetter * (2 * members); }

  Letters(std::byte* base, int members) : base_(base), members_(members) {}

  // Where the member's letter of this number lies. In memory that was cleared numbers start at 1.
  std::byte* text(int member, std::uint64_t number) const {
    return letter(member, number) + (kLetter - kText).value;
  }
  void send(int member, std::uint64_t number, Sheet sheet) const {
    sent(member, number, sheet).store(number, std::memory_order_release);
  }
  bool has_come(int member, std::uint64_t number, Sheet sheet) const {
    return sent(member, number, sheet).load(std::memory_order_acquire) == number;
  }
  // As if it had not been sent, and the last one of this member: others may have stopped waiting for this one
  // already, or not, so that nobody knows which number would be the next.
  void stop(int member, std::uint64_t number) const {
    sent(member, number, Sheet::kSecond).store(kStopped, std::memory_order_relaxed);
    sent(member, number, Sheet::kFirst).store(kStopped, std::memory_order_release);
  }
  bool has_stopped(int member) const {
    const auto says_so = [&](std::uint64_t number) {
      return sent(member, number, Sheet::kFirst).load(std::memory_order_acquire) == kStopped;
    };
    return says_so(0) || says_so(1);
  }
  // Memory that was used before: no letter is left in it.
  void clear() const {
    for (int member = 0; member < members_; ++member)
      for (const std::uint64_t number : {0, 1})
        for (const Sheet sheet : {Sheet::kFirst, Sheet::kSecond})
          sent(member, number, sheet).store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t kStopped = ~std::uint64_t{0};

  std::byte* letter(int member, std::uint64_t number) const {
    return base_ + (kLetter * (2 * member + static_cast<int>(number % 2))).value;
  }
  Number& sent(int member, std::uint64_t number, Sheet sheet) const {
    return reinterpret_cast<Number*>(letter(member, number))[static_cast<int>(sheet)];
  }

  std::byte* base_;
  int members_;
};

}  // namespace weft::node
