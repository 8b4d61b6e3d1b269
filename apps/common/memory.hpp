// SPDX-License-Identifier: BSD-3-Clause
// Whether a problem fits into the nodes' memory, asked before anything is allocated: an operating system that
// promises more than it has ends the program later, without a message.
#pragma once

#include <functional>
#include <mpi.h>
#include <string>

namespace app {

/// What a node's ranks need together, and what it has, in GB.
struct NodeMemory {
  double needed, there;
};

/// Throws BadInput with `message` on all ranks where the ranks of a node together need more than it has.
/// `bytes`: of this rank, a double since it may be beyond all integers. Collective.
void require_memory(double bytes, MPI_Comm communicator,
                    const std::function<std::string(NodeMemory)>& message);

}  // namespace app
