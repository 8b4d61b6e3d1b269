// SPDX-License-Identifier: BSD-3-Clause
// Connection: one end of TCP between this process and another, with what is half written and half read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/plain_memory.hpp"
#include "transport/wire/carrier.hpp"
#include "transport/wire/socket.hpp"

namespace weft::wire {

// A frame that is not yet written to the socket.
struct Outgoing {
  FrameHead head;
  const std::byte* from = nullptr;
  Outbox* outbox = nullptr;  // null: nobody asks
  TaskId task{};
  std::size_t written = 0;  // of head and payload
  PlainMemory own;          // where the payload lies, if its buffer is gone

  std::size_t all() const { return sizeof head + static_cast<std::size_t>(head.size); }
};

// First in, first out; memory that it has had it keeps.
class Backlog {
 public:
  bool empty() const { return first_ == all_.size(); }
  Outgoing& front() { return all_[first_]; }
  void push(Outgoing one) {
    if (empty()) clear();
    if (first_ > all_.size() / 2 && first_ > 64) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    all_.push_back(std::move(one));
  }
  void pop() { ++first_; }
  void clear() {
    all_.clear();
    first_ = 0;
  }
  std::span<Outgoing> all() { return std::span(all_).subspan(first_); }
  std::span<const Outgoing> all() const { return std::span(all_).subspan(first_); }
  template <class Predicate>
  void erase_if(Predicate is_unwanted) {
    all_.erase(std::remove_if(all_.begin() + static_cast<std::ptrdiff_t>(first_), all_.end(), is_unwanted),
               all_.end());
  }

 private:
  std::vector<Outgoing> all_;
  std::size_t first_ = 0;
};

struct Connection {
  int process = 0;  // at the other end
  Descriptor socket;
  bool is_unmet = false;  // it is made when something is to be said

  Backlog outgoing;
  bool is_watched_for_writing = false;

  // What was read and not looked at yet.
  static constexpr std::size_t kInbox = 32 << 10;
  std::unique_ptr<std::byte[]> inbox;
  std::size_t begin = 0, end = 0;
  // The message whose payload comes next, and how much of it.
  bool is_within = false;
  std::size_t left = 0;
  Incoming incoming;

  // Since when without a break something is expected from the other end; 0: nothing is.
  Nanoseconds needed_since{0};

  std::size_t unread() const { return end - begin; }
  // Words alone are not worth to meet for.
  bool has_messages() const {
    return std::any_of(outgoing.all().begin(), outgoing.all().end(), [](const Outgoing& one) {
      const FrameKind kind = one.head.address.kind;
      return kind == FrameKind::kMessage || kind == FrameKind::kExposed;
    });
  }
};

}  // namespace weft::wire
