// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: in one epoch several threads access the windows of all others, while one more does
// collectives of another communicator.
#include <pthread.h>

#include "check.h"

enum { kNumbers = 1024, kThreads = 3, kRounds = 8, kAdded = 150, kPut = 40, kAccesses = 5 };
static MPI_Win window;
static MPI_Comm collectives;
static int ones[kAdded], put_by[kThreads][kPut], counted[kThreads][kAccesses * 64];

static void* access_all(void* argument) {
  const int t = (int)(intptr_t)argument;
  MPI_Datatype every_other;
  MPI_Type_vector(kAdded, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (int i = 0; i < kPut; ++i) put_by[t][i] = 1000 * world_rank + 100 * t + i;
  int count = 0;
  static const int one = 1;
  const int own = 2 * kAdded + 1 + (world_rank * kThreads + t) * kPut;
  for (int target = 0; target < world_size; ++target) {
    if (target == world_rank) continue;
    MPI_Put(put_by[t], kPut, MPI_INT, target, own, kPut, MPI_INT, window);
    for (int k = 0; k < kAccesses; ++k) {
      MPI_Accumulate(ones, kAdded, MPI_INT, target, 0, 1, every_other, MPI_SUM, window);
      MPI_Fetch_and_op(&one, &counted[t][count++], MPI_INT, target, 2 * kAdded, MPI_SUM, window);
    }
  }
  MPI_Type_free(&every_other);
  return NULL;
}

static void* add_up(void* argument) {
  for (int i = 0; i < 20 * kRounds; ++i) {
    int sum = 0, own = world_rank + i;
    MPI_Request request;
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, collectives, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == world_size * (world_size - 1) / 2 + world_size * i, "the sum is %d", sum);
  }
  return argument;
}

int main(int argc, char** argv) {
  begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  int* memory;
  MPI_Win_allocate(kNumbers * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, kNumbers * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kAdded; ++i) ones[i] = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &collectives);
  MPI_Group all_ranks, others;
  MPI_Win_get_group(window, &all_ranks);
  MPI_Group_excl(all_ranks, 1, &world_rank, &others);
  MPI_Group_free(&all_ranks);
  pthread_t adding, accessing[kThreads];
  pthread_create(&adding, NULL, add_up, NULL);
  for (int round = 1; round <= kRounds; ++round) {
    MPI_Win_post(others, 0, window);
    MPI_Win_start(others, 0, window);
    for (int t = 0; t < kThreads; ++t) pthread_create(&accessing[t], NULL, access_all, (void*)(intptr_t)t);
    for (int t = 0; t < kThreads; ++t) pthread_join(accessing[t], NULL);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    const int all = round * kThreads * kAccesses * (world_size - 1);
    CHECK(memory[2 * kAdded] == all, "%d were counted, not %d", memory[2 * kAdded], all);
    for (int i = 0; i < 2 * kAdded; ++i)
      CHECK(memory[i] == (i % 2 == 0 ? all : 0), "%d were added at %d, not %d", memory[i], i, all);
    for (int rank = 0; rank < world_size; ++rank)
      for (int k = 0; k < kThreads * kPut && rank != world_rank; ++k)
        CHECK(
            memory[2 * kAdded + 1 + rank * kThreads * kPut + k] == 1000 * rank + 100 * (k / kPut) + k % kPut,
            "rank %d has put something else", rank);
  }
  pthread_join(adding, NULL);
  MPI_Group_free(&others);
  MPI_Comm_free(&collectives);
  MPI_Win_free(&window);
  return end("%d rounds", kRounds);
}
