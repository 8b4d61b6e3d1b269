// SPDX-License-Identifier: BSD-3-Clause
// The front door: what the generated wrappers of the MPI functions call. Each wrapper either hands its call
// to Weft, or counts why not and hands it to the host MPI untouched.
#pragma once

#include "mpi/call/collective.hpp"
#include "mpi/call/constructor.hpp"
#include "mpi/call/meeting.hpp"
#include "mpi/communicator/changed_hints.hpp"
#include "mpi/communicator/construction.hpp"
#include "mpi/entry/fortran.hpp"
#include "mpi/entry/lifetime.hpp"
#include "mpi/flight/delayed_free.hpp"
#include "mpi/flight/persistent_calls.hpp"
#include "mpi/host/finish.hpp"
#include "mpi/host/host.hpp"
#include "mpi/host/progress.hpp"

namespace weft::mpi {

// Whether a call that looks is the host's alone: no operation of Weft's is under way, none has ended since
// this thread looked last, and there are no persistent ones, of which one may have failed. Some programs look
// every few nanoseconds.
inline bool looks_at_host_alone() {
  return unfinished_operations.load(std::memory_order_relaxed) == 0 &&
         ended_operations.load(std::memory_order_acquire) == caught_up_with && !any_persistent();
}

}  // namespace weft::mpi
