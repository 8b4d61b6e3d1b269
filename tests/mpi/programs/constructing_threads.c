// SPDX-License-Identifier: BSD-3-Clause
// Several threads of every rank make, use and free communicators at the same time, each from one of its own.
// All have all ranks: otherwise Open MPI 4.1 itself may wait for ever. Arguments: threads, communicators per
// thread. It says on stderr how long rank 0 took.
#include <pthread.h>

#include "check.h"

enum { kMostThreads = 64 };
static MPI_Comm parents[kMostThreads];
static int each;

static void* construct(void* place) {
  MPI_Comm parent = *(MPI_Comm*)place;
  MPI_Group group;
  MPI_Comm_group(parent, &group);
  for (int i = 0; i < each; ++i) {
    MPI_Comm made;
    int one = 1 + i, all = 0;
    if (i % 3 == 0) MPI_Comm_create(parent, group, &made);
    else if (i % 3 == 1) MPI_Comm_split(parent, 0, -world_rank, &made);
    else MPI_Comm_dup(parent, &made);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, made);
    CHECK(all == world_size * (i + 1), "%d", all);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&group);
  return NULL;
}

int main(int argc, char** argv) {
  begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  const int count = atoi(argv[1]);
  each = atoi(argv[2]);
  pthread_t threads[kMostThreads];
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  const double start = MPI_Wtime();
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, construct, &parents[i]);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  if (world_rank == 0) fprintf(stderr, "%.3f s\n", MPI_Wtime() - start);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&parents[i]);
  return end("%d communicators from each of %d threads", each, count);
}
