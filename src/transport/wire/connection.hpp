// SPDX-License-Identifier: BSD-3-Clause
// Connection: one end of the wire between this process and another, with what is half written and half read.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/plain_memory.hpp"
#include "transport/wire/matching.hpp"
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

struct Connection {
  int process = 0;  // at the other end
  Descriptor socket;
  std::string trouble;  // why it ended
  bool has_left = false;

  std::deque<Outgoing> outgoing;
  bool is_watched_for_writing = false;

  // What was read and not looked at yet.
  std::array<std::byte, 32 << 10> inbox;
  std::size_t begin = 0, end = 0;
  // The message whose payload comes next: `left` bytes of it, for somebody who waits, or early; else for
  // nobody.
  bool is_within = false;
  std::size_t left = 0;
  std::byte* into = nullptr;
  Awaited awaited;
  std::unique_ptr<Early> early;

  // Since when without a break something is expected from the other end; 0: nothing is.
  Nanoseconds needed_since{0};

  std::size_t unread() const { return end - begin; }
};

}  // namespace weft::wire
