// SPDX-License-Identifier: BSD-3-Clause
#include "memory_needed.hpp"

#include <fmt/format.h>

#include "memory.hpp"

namespace fft3d {
namespace {

/// At least: of a variable the field, its spectrum and what comes back; of a set of messages what is sent and
/// what is received; y pencils. The vortex has four spectra and two fields of each component.
double bytes_of_rank(const Options& options, int rank_count) {
  const double number = options.is_single ? sizeof(float) : sizeof(double);
  const double spectrum =
      2 * number * options.grid.spectrum_x() * options.grid.points[1] * options.grid.points[2];
  const double field = (options.grid.is_real ? 1 : 2) * number * options.grid.size();
  const bool is_vortex = options.taylor_green.steps > 0;
  const int sets = options.form.exchanges == Exchanges::kPipelined ? options.form.depth + 1 : 1;
  const double variables =
      is_vortex ? 3 * (4 * spectrum + 2 * field) : options.variables * (spectrum + 2 * field);
  return (variables + (1 + 2 * sets) * spectrum) / rank_count;
}

}  // namespace

void require_memory(const Options& options, MPI_Comm communicator) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  app::require_memory(bytes_of_rank(options, rank_count), communicator, [&](app::NodeMemory node) {
    const auto& n = options.grid.points;
    return fmt::format(
        "{} variable{} of {} x {} x {} need {:.1f} GB on a node that has {:.1f} GB: choose a smaller -n, "
        "fewer "
        "--variables, or more nodes",
        options.variables, options.variables == 1 ? "" : "s", n[0], n[1], n[2], node.needed, node.there);
  });
}

}  // namespace fft3d
