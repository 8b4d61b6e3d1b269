// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: several threads, each with a communicator of its own, run mixed collectives, blocking
// and not, and make and free communicators, while one more thread passes messages around the ring.
#include <pthread.h>

#include "check.h"

enum { kThreads = 3, kRounds = 60, kWords = 9 };
static MPI_Comm comms[kThreads + 1];

static void* collectives(void* argument) {
  const int t = (int)(intptr_t)argument, n = world_size, me = world_rank;
  const MPI_Comm comm = comms[t];
  int in[6][kWords * 16], out[kWords * 16];
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request requests[4];
    const int root = (round + t) % n;
    for (int i = 0; i < kWords * 16; ++i) out[i] = 100 * me + t + i + round;
    memcpy(in[0], out, sizeof out);
    MPI_Ibcast(in[0], kWords, MPI_INT, root, comm, &requests[0]);
    MPI_Iallreduce(out, in[1], kWords, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Allreduce(out, in[2], 1, MPI_INT, MPI_MAX, comm);
    MPI_Ialltoall(out, kWords, MPI_INT, in[3], kWords, MPI_INT, comm, &requests[2]);
    MPI_Allgather(out, 1, MPI_INT, in[4], 1, MPI_INT, comm);
    MPI_Ireduce(out, in[5], kWords, MPI_INT, MPI_MIN, root, comm, &requests[3]);
    if (round % 2 == 0) MPI_Barrier(comm);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kWords; ++i) {
      const int own = t + i + round;
      CHECK(in[0][i] == 100 * root + own, "bcast %d in thread %d", in[0][i], t);
      CHECK(in[1][i] == 100 * (n * (n - 1) / 2) + n * own, "allreduce %d in thread %d", in[1][i], t);
      for (int r = 0; r < n; ++r)
        CHECK(in[3][r * kWords + i] == 100 * r + own + me * kWords, "alltoall %d in thread %d",
              in[3][r * kWords + i], t);
      if (me == root) CHECK(in[5][i] == own, "reduce %d in thread %d", in[5][i], t);
    }
    CHECK(in[2][0] == 100 * (n - 1) + t + round, "allreduce %d in thread %d", in[2][0], t);
    for (int r = 0; r < n; ++r)
      CHECK(in[4][r] == 100 * r + t + round, "allgather %d in thread %d", in[4][r], t);
    if (round % 10 == 5) {
      MPI_Comm copy;
      int sum = -1;
      MPI_Comm_split(comm, me % 2, 0, &copy);
      MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_MIN, copy);
      CHECK(sum == me % 2, "%d on a split communicator of thread %d", sum, t);
      MPI_Comm_free(&copy);
    }
  }
  return NULL;
}

static void* messages(void* argument) {
  (void)argument;
  const MPI_Comm comm = comms[kThreads];
  const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  static int out[5000], in[5000];
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request requests[2];
    const int count = round % 2 == 0 ? 10 : 5000;
    for (int i = 0; i < count; ++i) out[i] = world_rank + round + i;
    MPI_Irecv(in, count, MPI_INT, previous, round, comm, &requests[0]);
    MPI_Isend(out, count, MPI_INT, next, round, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) CHECK(in[i] == previous + round + i, "message %d", in[i]);
    MPI_Sendrecv_replace(in, 10, MPI_INT, next, 77, previous, 77, comm, MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  for (int t = 0; t <= kThreads; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  pthread_t threads[kThreads + 1];
  for (int t = 0; t <= kThreads; ++t)
    pthread_create(&threads[t], NULL, t < kThreads ? collectives : messages, (void*)(intptr_t)t);
  for (int t = 0; t <= kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t <= kThreads; ++t) MPI_Comm_free(&comms[t]);
  return end("%d threads", kThreads + 1);
}
