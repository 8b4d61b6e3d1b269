// SPDX-License-Identifier: BSD-3-Clause
// Outbox: the messages of one operation over a wire: what is over, and room for those under way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "transport/wire/frame.hpp"

namespace weft::wire {

class Outbox;
class Sequence;

// A frame that somebody waits for: a message, or the word that a long message may be sent.
struct Awaited {
  MessageAddress address;
  std::byte* at = nullptr;  // where the message goes, or lies
  Bytes size;
  Outbox* outbox = nullptr;
  TaskId task;
  Awaited* next = nullptr;
  bool is_open = false;  // it has not come yet
  // If it is a message: the member that it comes from, in its sequence of operations.
  Sequence* sequence = nullptr;
  int rank = -1;

  // Taking it in is over before a thread would be awake that could do it.
  bool is_short_message() const { return address.kind == FrameKind::kMessage && size <= Bytes(16 << 10); }
};

class Outbox {
 public:
  explicit Outbox(std::size_t most_messages) : awaited_(most_messages) { completed_.reserve(most_messages); }

  // Before an operation; none of its messages is under way then.
  void restart() {
    completed_.clear();
    awaited_count_ = short_messages_ = 0;  // none of them is open
    failed_ = has_other_size_ = false;
  }
  // Writes the tasks that are over to `done`, and returns how many; negative after a failure.
  int take_completed(std::span<TaskId> done) {
    if (failed_) return -1;
    const std::size_t count = std::min(done.size(), completed_.size());
    std::copy_n(completed_.end() - static_cast<std::ptrdiff_t>(count), count, done.begin());
    completed_.resize(completed_.size() - count);
    return static_cast<int>(count);
  }

  // Whether it failed because a message was not as long as its receiver expected.
  bool has_other_size() const { return has_other_size_; }
  bool is_awaiting(int process) const {
    const auto is_from = [process](const Awaited& one) {
      return one.is_open && one.address.sender == process;
    };
    return std::any_of(awaited_.begin(), awaited_.end(), is_from);
  }

  // How many short messages are to come.
  std::size_t short_messages() const { return short_messages_; }

  // The wire's.
  void opens(const Awaited& one) { short_messages_ += one.is_short_message(); }
  void closes(const Awaited& one) { short_messages_ -= one.is_short_message(); }
  void complete(TaskId task) { completed_.push_back(task); }
  void fail() { failed_ = true; }
  void fail_for_size() { failed_ = has_other_size_ = true; }
  Awaited& another_awaited() { return awaited_[awaited_count_++]; }
  std::span<Awaited> awaited() { return std::span(awaited_).first(awaited_count_); }

 private:
  std::vector<TaskId> completed_;
  std::vector<Awaited> awaited_;
  std::size_t awaited_count_ = 0, short_messages_ = 0;
  bool failed_ = false, has_other_size_ = false;
};

}  // namespace weft::wire
