// SPDX-License-Identifier: BSD-3-Clause
// Counters: per MPI function, how many calls Weft executed, how long they took, how many went to the host
// MPI, and why; how the members of communicators reach one another; and what making things has cost.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace weft {

enum class Reason : std::uint8_t {
  kSwitchedOff,
  kUnseenCommunicator,
  kIntercommunicator,
  kDatatype,
  kOperator,
  kArgument,
  kTooLarge,
  kManyPersistent,
  kAccelerators,
};
inline constexpr std::size_t kReasonCount = 9;

constexpr std::string_view reason_text(Reason reason) {
  constexpr std::array<std::string_view, kReasonCount> texts = {
      "Weft is switched off",
      "a communicator of a session, made of one, or with members that are not in its parent",
      "an inter-communicator",
      "a reduction over a datatype whose elements overlap",
      "the host refuses this operator on this datatype",
      "an argument that the host reports as an error",
      "a block of more than 1 TiB",
      "persistent operations of one communicator beyond those that message tags can tell apart",
      "a long call, or one with lists, where members may have buffers in accelerators",
  };
  return texts[static_cast<std::size_t>(reason)];
}

// Decided when the communicator is made, for all of its operations.
enum class Way : std::uint8_t { kMemory, kLines, kNodes, kMessages };
inline constexpr std::size_t kWayCount = 4;

constexpr std::string_view way_text(Way way) {
  constexpr std::array<std::string_view, kWayCount> texts = {
      "through shared memory",
      "short blocks through shared memory, others by messages",
      "through shared memory within nodes, by messages between them",
      "by messages",
  };
  return texts[static_cast<std::size_t>(way)];
}

using CommunicatorCounters = std::array<std::atomic<std::uint64_t>, kWayCount>;

struct CallCounter {
  const char* function;                           // "MPI_Iallreduce"
  std::atomic<std::uint64_t> weft{0}, recent{0};  // recent: of them, those that a recent call told all about
  std::array<std::atomic<std::uint64_t>, kReasonCount> host{};
  std::atomic<std::uint64_t> nanoseconds{0}, waited{0};  // in Weft's calls; of them, for other ranks

  explicit constexpr CallCounter(const char* name) : function(name) {}
  // One thread at a time: the front door counts these under its lock.
  void count_weft() { weft.store(weft.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void count_recent() { recent.store(recent.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void count_host(Reason reason) {
    host[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
};

// How often something was made, and how long that took altogether, where calls are timed.
struct MakingCounter {
  std::atomic<std::uint64_t> number{0}, nanoseconds{0};
};
// What the threads that move operations have done: how often they woke up, and their time on cores.
struct AgentCounts {
  std::uint64_t wakes = 0, nanoseconds = 0;
  std::uint64_t trigger_wakes = 0, trigger_nanoseconds = 0;
};

inline MakingCounter plans_made, communicators_constructed;

}  // namespace weft
