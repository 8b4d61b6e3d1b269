// SPDX-License-Identifier: BSD-3-Clause
// Deaths: a rank whose process ends before MPI_Finalize arrives nowhere any more. Whoever waits looks for
// that a few times a second; every operation on a communicator with a dead member then fails (drop_in rule
// 10). The same where a member begins no more operations on the communicator, since it has freed it or is in
// MPI_Finalize, and others are in one that it has not begun.
//
// Only processes that this one can see are watched (waits.hpp), and members in a node's memory.
#pragma once

#include <ctime>

#include "base/clock.hpp"
#include "mpi/engine/waits.hpp"

namespace weft::mpi {

// Must not be called under the engine's lock.
void look_for_deaths(Nanoseconds now);

// Called by waits, but not by their first spins: only when a wait drives the host or gives its core away.
inline void look_for_deaths_now_and_then() {
  const Nanoseconds now = read_clock(CLOCK_MONOTONIC_COARSE);
  if (now.value >= next_look.load(std::memory_order_relaxed)) look_for_deaths(now);
}

}  // namespace weft::mpi
