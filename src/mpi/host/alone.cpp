// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host/alone.hpp"

namespace weft::mpi {
namespace {

MPI_Comm of_one = MPI_COMM_NULL;

}  // namespace

MPI_Comm alone() {
  if (of_one == MPI_COMM_NULL && PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &of_one) == MPI_SUCCESS)
    PMPI_Comm_set_errhandler(of_one, MPI_ERRORS_RETURN);
  return of_one;
}

void forget_alone() {
  if (of_one != MPI_COMM_NULL) PMPI_Comm_free(&of_one);
}

}  // namespace weft::mpi
