// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_create with a group that is not of its communicator: wrong, and MPICH tells some members so and
// not the others. Nobody waits for ever for whom it has told, and what they make afterwards works.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm lower;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &lower);
  if (rank < size / 2) {
    MPI_Group world, upper;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int range[1][3] = {{size / 4, size - 1, 1}};
    MPI_Group_range_incl(world, 1, range, &upper);
    MPI_Comm made = MPI_COMM_NULL;
    if (MPI_Comm_create(lower, upper, &made) == MPI_SUCCESS && made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Group_free(&upper);
    MPI_Group_free(&world);
  }
  for (int round = 0; round < 3; ++round) {
    MPI_Comm copy;
    MPI_Comm_dup(lower, &copy);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    if (round == 2) printf("rank %d: %d\n", rank, sum);
    MPI_Comm_free(&copy);
  }
  MPI_Finalize();
}
