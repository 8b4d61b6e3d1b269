// SPDX-License-Identifier: BSD-3-Clause
// Deaths: a rank whose process ends before MPI_Finalize arrives nowhere any more. Whoever waits looks for
// that a few times a second; every operation on a communicator with a dead member then fails (drop_in rule
// 10).
//
// Only processes that this one can see are watched: those on its own machine and in its own container.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <mpi.h>
#include <span>

#include "base/clock.hpp"

namespace weft::mpi {

// Collective over the ranks of one machine, in MPI_Init.
void watch_peers(MPI_Comm machine);
void forget_peers();

// Must not be called under the engine's lock.
void look_for_deaths(Nanoseconds now);

inline constexpr Nanoseconds kBetweenLooks{200'000'000};
inline constexpr Nanoseconds kNever{INT64_MAX};
inline std::atomic<std::int64_t> next_look{kNever.value};  // never while nobody is watched

// From waits that have come to driving the host, or to giving their core away: never from the first spins.
inline void look_for_deaths_now_and_then() {
  const Nanoseconds now = read_clock(CLOCK_MONOTONIC_COARSE);
  if (now.value >= next_look.load(std::memory_order_relaxed)) look_for_deaths(now);
}

// Whether one of these ranks of the world is known to have ended.
bool some_ended(std::span<const int> world_ranks);

// The words of all members of a communicator, given by their ranks in the world, combined into `words`; an
// MPI error code: MPI_ERR_OTHER if a member ended without its part. Moves Weft while it waits.
int allreduce_words(MPI_Comm comm, std::span<const int> world_ranks, std::span<std::uint64_t> words,
                    MPI_Op op);

}  // namespace weft::mpi
