// SPDX-License-Identifier: BSD-3-Clause
// Frames: what travels on a wire: a head, and behind it the bytes of one message. Both ends are processes of
// one job on machines of one kind, so that numbers travel as they lie in memory.
#pragma once

#include <cstdint>

#include "base/mixed.hpp"

namespace weft::wire {

// Random, the same for all processes of a job, and known to nobody else.
struct JobKey {
  std::uint64_t low = 0, high = 0;
  bool operator==(const JobKey&) const = default;
};

enum class FrameKind : std::uint32_t {
  kMessage,
  kWaits,    // this long message is waiting for its receiver
  kReady,    // the receive of this long message has begun: it may come
  kAsks,     // tell me when you have begun this operation
  kTells,    // all operations up to this one have begun here
  kExposed,  // for, or about, memory that is exposed (see Exposed)
  kBroken,   // process `ordinal` is lost, and with it this communicator
  kGoodbye,  // nothing more comes from here
  // Carriers themselves say the rest.
  kHello,    // the first thing, where there are no connections (see Hello)
  kIsThere,  // `operation` is the number of this question
  kIAmHere,  // and of the one that this answers
};

// Names one message of a job. A number that has been used is never used again, so that a message which comes
// late cannot be taken for another one.
struct MessageAddress {
  std::uint64_t communicator = 0;  // never used again in a job
  std::uint64_t operation = 0;     // of the communicator: its sequence, and its number there
  std::uint32_t ordinal = 0;  // among those of the operation from this sender to this receiver; of kExposed,
                              // what it is
  std::int32_t sender = 0;    // the process, by its number in the job
  FrameKind kind = FrameKind::kMessage;
  std::uint32_t part = 0;  // of something longer than a frame; of kExposed only

  bool operator==(const MessageAddress&) const = default;
  std::uint64_t hash() const {
    const std::uint64_t pair = std::uint64_t{ordinal} << 32 | static_cast<std::uint32_t>(sender);
    return mixed(mixed(communicator, operation), pair);
  }
};

struct FrameHead {
  JobKey key;
  MessageAddress address;
  std::int64_t size = 0;  // of the bytes that follow
};
static_assert(sizeof(FrameHead) == 56);

// The first thing on a connection, from either end: bridges of containers have equal addresses on every host,
// so that whoever answers need not be the process that is meant.
struct Hello {
  JobKey key;
  std::int32_t from = 0, to = 0;
  std::uint32_t number = 0;  // of the call, among those of its caller to that process
  std::uint32_t unused = 0;
};
static_assert(sizeof(Hello) == 32);

}  // namespace weft::wire
