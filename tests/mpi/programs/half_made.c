// SPDX-License-Identifier: BSD-3-Clause
// Constructors that fail on some members and not on others. Nobody waits for ever for those on which they
// fail, and what is made afterwards, with them and without them, works.
//
// foreign: MPI_Comm_create with a group that is not of its communicator. MPICH tells some members so, and
// others not.
//
// again: one member calls in vain, and again as the others do. Only where constructors do not begin by a
// meeting.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void use_and_free(MPI_Comm comm, const char* what) {
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  printf("rank %d, %s: %d\n", rank, what, sum);
  MPI_Comm_free(&comm);
}

static void foreign(void) {
  MPI_Comm lower, made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &lower);
  if (rank < size / 2) {
    MPI_Group world, upper;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int range[1][3] = {{size / 4, size - 1, 1}};
    MPI_Group_range_incl(world, 1, range, &upper);
    if (MPI_Comm_create(lower, upper, &made) == MPI_SUCCESS && made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Group_free(&upper);
    MPI_Group_free(&world);
  }
  for (int round = 0; round < 3; ++round) {
    MPI_Comm_dup(lower, &made);
    use_and_free(made, "duplicate");
  }
}

static void again(void) {
  MPI_Comm parent, made;
  for (int round = 0; round < 2; ++round) {  // the second parent has the first one's memory
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_dup(parent, &made);
    use_and_free(made, "before");
    for (int twice = 0; twice < 2; ++twice) {  // so that it expects to be the first of as many again
      MPI_Comm_split(parent, 0, rank == 1 ? -1 : rank, &made);
      use_and_free(made, "led by it");
    }
    if (rank == 1) MPI_Comm_split(parent, 0, 0, NULL);
    MPI_Comm_split(parent, 0, rank, &made);
    use_and_free(made, "all");
    MPI_Comm_split(parent, rank == 1 || rank == size - 1, -rank, &made);
    use_and_free(made, "with it and without it");
    MPI_Comm_split(parent, rank == 1 ? MPI_UNDEFINED : 0, rank, &made);
    if (rank != 1) use_and_free(made, "without it");
    MPI_Comm_dup(parent, &made);
    use_and_free(made, "duplicate");
    MPI_Comm_free(&parent);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (strcmp(argv[1], "foreign") == 0) foreign();
  if (strcmp(argv[1], "again") == 0) again();
  MPI_Finalize();
}
