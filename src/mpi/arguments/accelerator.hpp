// SPDX-License-Identifier: BSD-3-Clause
// Accelerators: buffers in memory that a processor may not touch, which a program may give to an MPI that
// knows how to reach them. Weft reads and writes them by the driver's own copies.
//
// Whether any member of a communicator may do so is known from its constructor. Such communicators leave what
// is long and what has lists to the host, on all ranks alike, since a rank cannot know where another one's
// buffers lie. Elsewhere nothing is asked.
//
// Known are CUDA's driver (libcuda) and ROCm's HIP (libamdhip64), by the entry points of their manuals; they
// are never loaded, only found. Of memory of Level Zero only those know who have its context: communicators
// of its users are the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>

#include "base/types.hpp"

namespace weft::mpi {

// The greater of two holds for a communicator that has both.
enum class AcceleratorUse : std::uint64_t { kNone, kCopied, kLeftToHost };
// Of this process: a driver is loaded, or the host MPI says that it takes such buffers, whatever is loaded
// later.
AcceleratorUse accelerator_use();

// On communicators of users of accelerators: the most that a call may have in one block, packed, to be
// Weft's.
inline constexpr Bytes kMostInAccelerator{std::int64_t{16} * 1024};

// Whether this buffer of the program's lies in an accelerator. `type` says where its data begin if the
// address is MPI_BOTTOM. Never so for MPI_IN_PLACE.
bool is_in_accelerator(const void* buffer, MPI_Datatype type);

struct AcceleratorCopy {
  const void* from;
  void* to;
  Bytes size;
};
// Between an accelerator, in which `there` lies, and memory of this process; complete on return. They wait
// for nothing that the program has given the accelerator to do. An MPI error code.
int copy_by_driver(const void* there, std::span<const AcceleratorCopy> copies);

}  // namespace weft::mpi
