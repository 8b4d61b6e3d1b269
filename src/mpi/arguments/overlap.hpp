// SPDX-License-Identifier: BSD-3-Clause
// Overlap: whether the host refuses a call because its two buffers lie where the standard does not allow it:
// the same memory without MPI_IN_PLACE. It says so on the rank that does it, at once.
//
// What Weft does there: the host reports it, as without Weft, and gives the buffers back untouched. But the
// call has its place in the order of calls, and this rank takes part in it from copies of its buffers, so
// that the others get their results.
#pragma once

#include <cstdint>

#include "mpi/arguments/arguments.hpp"

namespace weft::mpi {

// How far the send buffer lies behind the receive buffer, in bytes; modulo 2^64, as addresses.
using Distance = std::uint64_t;
inline Distance distance_of(const Arguments& a) {
  return reinterpret_cast<std::uintptr_t>(a.sendbuf) - reinterpret_cast<std::uintptr_t>(a.recvbuf);
}
inline constexpr Distance kNoDistance = std::uint64_t{1} << 63;  // farther than any two addresses

// The distance at which the host refuses this call; kNoDistance: it takes any.
// The caller holds the engine's lock, as for refuses_overlap.
Distance refused_distance(const Arguments& arguments, int rank, int ranks, bool is_persistent);

bool refuses_overlap(const Arguments& arguments, int rank, int ranks, bool is_persistent);

}  // namespace weft::mpi
