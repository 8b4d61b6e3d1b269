// SPDX-License-Identifier: BSD-3-Clause
// Accesses to the memory of members on other nodes: messages to their agents.
#pragma once

#include "mpi/window/transfer.hpp"

namespace weft::mpi::window {

struct Window;

// Requires a target on another node. An MPI error code.
int access_far(Window& window, const Access& access);

}  // namespace weft::mpi::window
