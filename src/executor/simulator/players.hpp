// SPDX-License-Identifier: BSD-3-Clause
// What the simulation knows about each rank.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/simulator/script.hpp"
#include "executor/simulator/time.hpp"

namespace weft::simulator {

// A rank's processor, adapter and place in the program.
struct Player {
  Time free;             // whoever moves its operations, the processor or an agent, is idle from then on,
  Time lists;            // and so is the adapter with task lists, for all its ranks
  Time main;             // its program has come so far
  Time sends, receives;  // from when on the adapter takes the next one
  std::int32_t repetition = 0;
  std::int16_t step = 0;
  std::int16_t waits_for = -1;  // which operation; -1: for none
};

// Its computation, if it is computing, or the last one.
struct Computation {
  Time from, until;
  Time work;    // of the processor, for the program and for calls of MPI_Test
  Time test;    // what one of these takes
  Time stolen;  // of the processor, for operations: by tests, or an agent on the same core
};

// Its part in one operation.
struct Role {
  Time over;  // when it was, the last time
  std::uint32_t script = 0;
  std::uint32_t counters = 0;       // where its tasks' begin
  std::uint32_t left = 0;           // tasks
  std::uint32_t instance : 23 = 0;  // how often it has been over
  std::uint32_t is_begun : 1 = 0;
  std::uint32_t has_early : 1 = 0;  // messages at which it has not looked
  std::uint32_t leads : 7 = 0;      // bit i: it was the last to arrive on lines i, from 1
};
static_assert(kMostLines < 7);
inline constexpr std::int64_t kMostRepetitions = (std::int64_t{1} << 23) - 1;

// The state of a task: for how many others it waits; and of a message to be received, whether that has come,
// and whether the processor has taken it in, or answered its request.
using Counter = std::uint16_t;
inline constexpr Counter kHasCome = 0x8000, kTakenIn = 0x4000, kAwaited = 0x3fff;
inline constexpr Counter kIsOver = kAwaited;  // more than any task waits for
static_assert(kMostAwaited < kIsOver);

}  // namespace weft::simulator
