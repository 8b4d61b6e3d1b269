// SPDX-License-Identifier: BSD-3-Clause
// Members: who is in a communicator, as far as its operations have to know.
#pragma once

#include <atomic>
#include <mpi.h>
#include <vector>

namespace weft::mpi {

struct Members {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::vector<int> world_rank;
  std::atomic<bool> freed{false};  // by the program; operations under way go on
};

}  // namespace weft::mpi
