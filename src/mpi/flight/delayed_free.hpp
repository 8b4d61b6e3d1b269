// SPDX-License-Identifier: BSD-3-Clause
// Delayed frees: a datatype or operator that the program frees while an operation in flight uses it lives
// until the last such operation has ended (drop_in rule 8).
//
// The program may free from a callback that runs inside the host's own locks, so that the engine's lock is
// only tried here; a handle that could not be looked at waits as if it were in use.
#pragma once

#include <atomic>
#include <mpi.h>

namespace weft::mpi {

inline std::atomic<int> delayed_handles{0};

// MPI_Type_free and MPI_Op_free.
int free_type(MPI_Datatype* type);
int free_op(MPI_Op* op);

// Moves the handles that nobody uses any more to what the engine has deferred. The caller holds the engine's
// lock.
void collect_unused_handles();

}  // namespace weft::mpi
