// SPDX-License-Identifier: BSD-3-Clause
// Sequence: operations of one communicator over a wire that all members start in the same order: the blocking
// ones, the non-blocking ones, or the starts of one persistent operation.
//
// Rooted operations have no back-pressure of their own: a root that has written its messages has finished. So
// a member runs ahead of each other one by a window of operations, the shorter the longer its messages are,
// and the other one keeps no more than that. What comes from the other one shows how far it is. Where nothing
// does, and half of the window is used up, the member asks to be told when the other one has come that far;
// until then what is beyond the window waits. For an operation that the other one has begun there is always
// room, and windows of sequences know nothing of one another, so that nothing waits for what comes after it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "transport/wire/outbox.hpp"

namespace weft::wire {

class Sequence {
 public:
  // `number`: among those of the communicator. `processes`: of the members, by rank; they outlive it.
  Sequence(std::uint64_t communicator, std::uint32_t number, std::span<const int> processes)
      : communicator_(communicator), number_(number), processes_(processes), others_(processes.size()) {
    to_tell_.reserve(processes.size());
  }
  Sequence(const Sequence&) = delete;

  // Numbers the next operation.
  std::uint64_t next() { return address_of(++numbered_); }

  // The rest is the wire's.
  std::uint64_t communicator() const { return communicator_; }
  std::span<const int> processes() const { return processes_; }
  static std::uint64_t number_of(std::uint64_t operation) { return operation >> kNumberBits; }
  bool has(std::uint64_t operation) const { return number_of(operation) == number_; }
  // They begin in their order. begun(): the last one that has.
  void begin(std::uint64_t operation) { begun_ = std::max(begun_, number_in(operation)); }
  std::uint64_t begun() const { return address_of(begun_); }

  // Whether a message of so many bytes may go to that member now.
  bool has_room(int rank, std::uint64_t operation, Bytes size) const {
    return ahead(rank, operation) * weight(size) <= kWindow;
  }
  // Whether that member is to be asked to tell when it has begun some operation, and which.
  bool is_to_be_asked(int rank, std::uint64_t operation, Bytes size, std::uint64_t* which);
  void was_told(int rank, std::uint64_t begun);
  // What comes from a member shows the same, unasked.
  void has_begun(int rank, std::uint64_t operation) {
    other(rank).begun = std::max(other(rank).begun, number_in(operation));
  }
  // That member asks the same.
  void was_asked(int rank, std::uint64_t which);
  // Members that have asked and are to be told now, each once.
  std::span<const int> members_to_tell();
  bool is_asked() const { return asking_ > 0; }

  struct Waiting {
    int rank;
    MessageAddress address;
    const std::byte* from;
    Bytes size;
    Outbox* outbox;
    TaskId task;
  };
  std::vector<Waiting> waiting;  // for room

  // Longer messages come when their receiver is ready.
  static constexpr Bytes kMostUnasked{64 << 10};

 private:
  static constexpr int kNumberBits = 40;  // of an operation within its sequence
  static constexpr std::uint64_t kWindow = 256 << 10, kNever = ~std::uint64_t{0};

  struct Other {
    std::uint64_t begun = 0;       // as this process knows
    std::uint64_t asked = kNever;  // at the beginning of which operation it is to tell
    std::uint64_t asks = kNever;   // at which it wants to be told
  };

  std::uint64_t address_of(std::uint64_t number) const {
    return std::uint64_t{number_} << kNumberBits | number;
  }
  static std::uint64_t number_in(std::uint64_t operation) {
    return operation & ((std::uint64_t{1} << kNumberBits) - 1);
  }
  // What a message takes of a window, with what it takes to keep it.
  static std::uint64_t weight(Bytes size) { return static_cast<std::uint64_t>(size.value) + 256; }
  std::uint64_t ahead(int rank, std::uint64_t operation) const {
    const std::uint64_t number = number_in(operation), there = other(rank).begun;
    return number > there ? number - there : 0;
  }
  const Other& other(int rank) const { return others_[static_cast<std::size_t>(rank)]; }
  Other& other(int rank) { return others_[static_cast<std::size_t>(rank)]; }

  std::uint64_t communicator_;
  std::uint32_t number_;
  std::span<const int> processes_;
  std::vector<Other> others_;  // by rank
  std::uint64_t numbered_ = 0, begun_ = 0;
  int asking_ = 0;  // members
  std::vector<int> to_tell_;
};

}  // namespace weft::wire
