// SPDX-License-Identifier: BSD-3-Clause
// Operation: what libfabric has been asked to do and has not said the end of; its memory stays until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <rdma/fabric.h>

#include "base/plain_memory.hpp"
#include "transport/wire/outbox.hpp"

namespace weft::fabric {

struct Operation {
  enum class Kind : std::uint8_t { kBounce, kFrame, kLongSend, kLongReceive };
  Operation(Kind what, int with) : kind(what), process(with) {}

  fi_context2 context{};  // libfabric's; by its address the operation is found again
  Kind kind;
  bool is_posted = false;
  int process;  // at the other end; -1: any
};

// Memory into which any frame may come.
struct Bounce : Operation {
  explicit Bounce(std::byte* where) : Operation(Kind::kBounce, -1), at(where) {}
  std::byte* at;
};

// A frame on its way out, with a copy of its payload.
struct Frame : Operation {
  Frame() : Operation(Kind::kFrame, -1) {}
  PlainMemory memory;
  std::size_t size = 0;
  bool is_hello = false;
};

// A long message, from or into the buffer of somebody's operation.
struct Long : Operation {
  Long(Kind what, int with, const wire::MessageAddress& name) : Operation(what, with), address(name) {}
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
