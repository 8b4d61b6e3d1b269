// SPDX-License-Identifier: BSD-3-Clause
// What the host says about who is in a communicator.
#pragma once

#include <mpi.h>

namespace weft::mpi {

inline bool is_inter(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace weft::mpi
