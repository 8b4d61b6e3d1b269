// SPDX-License-Identifier: BSD-3-Clause
// Calls: MPI's functions on windows, as far as they are Weft's. Where one gives a bool, that says whether the
// call is Weft's; `code` is then its MPI error code, after the window's error handler has been called.
#pragma once

#include <atomic>
#include <mpi.h>

namespace weft::mpi::window {

// ---- how windows come and go ----

// MPI_Win_allocate. Whether Weft has made the window; otherwise all members leave it to the host. `code`: its
// MPI error code.
bool allocate(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made,
              int* code);
// MPI_Win_free.
int free(MPI_Win* window);

// MPI_Win_get_attr, of what the host would say of memory that is shared. Whether it is one of those.
bool get_attribute(MPI_Win handle, int key, void* value, int* is_there);
// The same for Fortran, after the host's.
void correct_attribute(MPI_Win handle, int key, MPI_Aint* value);

// ---- epochs of post, start, complete and wait (MPI-4.0, section 12.5.2) ----

bool post(MPI_Group origins, int assertion, MPI_Win handle, int* code);
bool start(MPI_Group targets, int assertion, MPI_Win handle, int* code);
bool complete(MPI_Win handle, int* code);
bool wait(MPI_Win handle, int* code);
bool test(MPI_Win handle, int* is_over, int* code);

// ---- accesses in such epochs ----

// How many access epochs are open. While there is none, an access is the host's, and costs what it does
// there.
inline std::atomic<int> open_access_epochs{0};
inline bool may_be_accessed() { return open_access_epochs.load(std::memory_order_relaxed) > 0; }

bool put(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint at,
         MPI_Count target_count, MPI_Datatype target_type, MPI_Win handle, int* code);
bool get(void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint at,
         MPI_Count target_count, MPI_Datatype target_type, MPI_Win handle, int* code);
bool accumulate(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint at,
                MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win handle, int* code);
bool get_accumulate(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, void* result,
                    MPI_Count result_count, MPI_Datatype result_type, int target, MPI_Aint at,
                    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win handle, int* code);
bool fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
                  MPI_Win handle, int* code);
bool compare_and_swap(const void* origin, const void* compared, void* result, MPI_Datatype type, int target,
                      MPI_Aint at, MPI_Win handle, int* code);

}  // namespace weft::mpi::window
