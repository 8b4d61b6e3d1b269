// SPDX-License-Identifier: BSD-3-Clause
#include "memory_needed.hpp"

#include <climits>
#include <fmt/format.h>

#include "memory.hpp"
#include "verdict.hpp"

namespace wave {

void require_memory(const Options& options, const Box& box, MPI_Comm communicator) {
  double points = 1;
  double with_ghosts = 1;
  for (const Stretch& stretch : box) {
    points *= stretch.count;
    with_ghosts *= stretch.count + 2.0 * kGhostLayers;
  }
  const double bytes_of_number = options.precision == Precision::kSingle ? 4 : 8;
  // Components and coefficients; a file's medium, in single precision; Q's are known only when it has been
  // read.
  constexpr double kArrays = kComponentCount + 8;
  constexpr double kOfFile = 5 * sizeof(float);
  double bytes = kArrays * bytes_of_number * with_ghosts;
  if (!options.medium_file.empty()) bytes += kOfFile * points;
  app::require_memory(bytes, communicator, [](app::NodeMemory node) {
    return fmt::format(
        "the fields need {:.4g} GB on a node that has {:.4g} GB of memory: use a smaller grid or more nodes",
        node.needed, node.there);
  });
  app::together(communicator, [&] {
    if (with_ghosts > INT_MAX)
      throw app::BadInput(fmt::format(
          "{:.4g} points per rank are more than MPI counts: use a smaller grid or more ranks", points));
  });
}

}  // namespace wave
