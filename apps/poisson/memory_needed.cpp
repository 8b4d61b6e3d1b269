// SPDX-License-Identifier: BSD-3-Clause
#include "memory_needed.hpp"

#include <climits>
#include <fmt/format.h>

#include "memory.hpp"
#include "verdict.hpp"

namespace poisson {

void require_memory(double points, int vectors, MPI_Comm communicator) {
  app::require_memory(points * vectors * sizeof(double), communicator, [](app::NodeMemory node) {
    return fmt::format(
        "the vectors need {:.4g} GB on a node that has {:.4g} GB of memory: use a smaller grid or more nodes",
        node.needed, node.there);
  });
  app::together(communicator, [&] {
    if (points > INT_MAX)
      throw app::BadInput(fmt::format(
          "{:.4g} points per rank are more than MPI counts: use a smaller grid or more ranks", points));
  });
}

}  // namespace poisson
