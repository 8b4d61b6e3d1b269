// SPDX-License-Identifier: BSD-3-Clause
// Accesses to the memory of members on this node: they are copies. Of long ones that are plain bytes on both
// sides the agent takes care, as an adapter's loop-back would (the co-design paper, section III.B.1); the
// rank does all others.
#pragma once

#include "mpi/window/transfer.hpp"

namespace weft::mpi::window {

struct Window;

// Requires a target on this node. An MPI error code.
int access_near(Window& window, const Access& access);

}  // namespace weft::mpi::window
