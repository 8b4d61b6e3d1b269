// SPDX-License-Identifier: BSD-3-Clause
// Waits: for other ranks, some of which may have ended, without waiting for those for ever (drop_in rule 10).
// Watched are the processes that this one can see: those on its own machine and in its own container.
#pragma once

#include <atomic>
#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "node/peers.hpp"

namespace weft::mpi {

// The processes of these ranks of the world, one each, this one's among them; in MPI_Init.
void watch_peers(std::span<const int> world_ranks, std::span<const node::ProcessTicket> processes);
void forget_peers();

inline constexpr Nanoseconds kBetweenLooks{200'000'000};
inline constexpr Nanoseconds kNever{INT64_MAX};
inline std::atomic<std::int64_t> next_look{kNever.value};  // at the processes; never while none is watched

// One look. The caller holds the engine's lock, here and for the next.
void look_at_peers(Nanoseconds now);
// Those of these ranks of the world that are known to have ended.
std::vector<int> ended_among(std::span<const int> world_ranks);
// Whether there are any.
bool some_ended(std::span<const int> world_ranks);

// Waits for a collective of the host's among these ranks of the world, moving Weft. MPI_ERR_OTHER if one of
// them ended without its part: then the host may still write into the buffers.
int finish_among(std::span<const int> world_ranks, MPI_Request* request);

// The words of all members of a communicator, given by their ranks in the world, combined into `words`; an
// MPI error code: MPI_ERR_OTHER if a member ended without its part. Moves Weft while it waits.
int allreduce_words(MPI_Comm comm, std::span<const int> world_ranks, std::span<std::uint64_t> words,
                    MPI_Op op);

}  // namespace weft::mpi
