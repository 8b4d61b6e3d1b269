// SPDX-License-Identifier: BSD-3-Clause
// Request: what libfabric has been asked to do and has not said the end of; its memory stays until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <rdma/fabric.h>

#include "base/plain_memory.hpp"
#include "transport/wire/outbox.hpp"

namespace weft::fabric {

struct Request {
  enum class Kind : std::uint8_t { kBounce, kShortSend, kLongSend, kLongReceive };
  Request(Kind what, int with) : kind(what), process(with) {}

  fi_context2 context{};  // libfabric's; by its address the request is found again
  Kind kind;
  bool is_posted = false;
  int process;  // at the other end; -1: any
};

// Memory into which any frame may come.
struct Bounce : Request {
  explicit Bounce(std::byte* where) : Request(Kind::kBounce, -1), at(where) {}
  std::byte* at;
};

// A frame on its way out, with a copy of its payload.
struct ShortSend : Request {
  ShortSend() : Request(Kind::kShortSend, -1) {}
  PlainMemory memory;
  std::size_t size = 0;
  bool is_hello = false;
};

// A long message, from or into the buffer of an operation.
struct LongMessage : Request {
  LongMessage(Kind what, int with, const wire::MessageAddress& name) : Request(what, with), address(name) {}
  wire::MessageAddress address;
  std::uint64_t tag = 0;
  std::byte* at = nullptr;
  std::size_t size = 0;
  wire::Outbox* outbox = nullptr;  // null: nobody asks
  TaskId task{};
  bool is_over = false;  // for its outbox
  PlainMemory own;       // for what comes when its receiver's buffer is gone
};

}  // namespace weft::fabric
