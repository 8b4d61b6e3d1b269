// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <climits>
#include <fmt/format.h>
#include <unistd.h>

#include "verdict.hpp"

namespace poisson {
namespace {

constexpr double kGigabyte = 1e9;

}  // namespace

void require_memory(double points, int vectors, MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  double needed = points * vectors * sizeof(double);
  MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, node);
  MPI_Comm_free(&node);

  const double there =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  app::together(communicator, [&] {
    if (needed > there)
      throw app::BadInput(
          fmt::format("the vectors need {:.4g} GB on a node that has {:.4g} GB of memory: use a smaller grid "
                      "or more nodes",
                      needed / kGigabyte, there / kGigabyte));
    if (points > INT_MAX)
      throw app::BadInput(fmt::format(
          "{:.4g} points per rank are more than MPI counts: use a smaller grid or more ranks", points));
  });
}

}  // namespace poisson
