// SPDX-License-Identifier: BSD-3-Clause
// Communicators that were made while MPI_COMM_WORLD had the error handler that it begins with: on MPICH they
// take whichever it has when an error comes.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int error_class, value = 0;
  MPI_Comm copy, part;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2; ++i) {
    MPI_Error_class(MPI_Bcast(&value, -1, MPI_INT, 0, i == 0 ? copy : part), &error_class);
    printf("%d\n", error_class == MPI_ERR_COUNT);
  }
  MPI_Barrier(copy);
  MPI_Finalize();
}
