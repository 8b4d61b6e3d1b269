// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <unistd.h>

#include "verdict.hpp"

namespace app {

void require_memory(double bytes, MPI_Comm communicator,
                    const std::function<std::string(NodeMemory)>& message) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, node);
  MPI_Comm_free(&node);
  const double there =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  constexpr double kGigabyte = 1e9;
  together(communicator, [&] {
    if (bytes > there) throw BadInput(message({bytes / kGigabyte, there / kGigabyte}));
  });
}

}  // namespace app
