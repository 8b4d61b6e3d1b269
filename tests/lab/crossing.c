// SPDX-License-Identifier: BSD-3-Clause
// Each rank says which host it is on, how many ranks MPI sees there, and what their numbers add up to; then 1
// MiB goes from the first rank to the last, and 4 MiB from the first to its neighbour, if that is on its
// host.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCrossing = 1 << 20, kInside = 4 << 20 };

static void send(char* data, int bytes, int from, int to, MPI_Comm comm) {
  int me;
  MPI_Comm_rank(comm, &me);
  if (me == from) MPI_Send(data, bytes, MPI_CHAR, to, 0, comm);
  if (me == to) MPI_Recv(data, bytes, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  char name[MPI_MAX_PROCESSOR_NAME];
  char* data = calloc(kInside, 1);
  int me, ranks, here, length, sum_here, sum;
  MPI_Comm node;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Get_processor_name(name, &length);
  MPI_Allreduce(&me, &sum_here, 1, MPI_INT, MPI_SUM, node);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (ranks > 1) send(data, kCrossing, 0, ranks - 1, MPI_COMM_WORLD);
  if (here > 1) send(data, kInside, 0, 1, node);
  printf("rank %d is on %s with %d ranks, sums %d and %d\n", me, name, here, sum_here, sum);
  MPI_Comm_free(&node);
  // MPICH before 4.2 waits for ever for ranks that have left MPI_Finalize before the others come, with TCP
  // below it.
  MPI_Barrier(MPI_COMM_WORLD);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  MPI_Finalize();
  free(data);
  return 0;
}
