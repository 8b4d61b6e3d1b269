// SPDX-License-Identifier: BSD-3-Clause
// One persistent collective, started again and again and completed each time in another way, while some rank
// is late or nobody is. Its status says nothing that a program could take for a cancelled message.
// Argument: threads, if another thread is to work meanwhile.
#include <pthread.h>

#include "check.h"

enum { kRounds = 400, kWays = 8 };

static void come_late(int round) {
  if (round % (world_size + 1) == world_rank)
    for (const double start = MPI_Wtime(); MPI_Wtime() < start + 2e-4;) continue;
}

static void complete(unsigned way, MPI_Request* request, MPI_Status* status) {
  MPI_Request copy = *request;
  int flag = 0, index = -1, count = 0;
  switch (way) {
#ifdef OPEN_MPI  // on hosts without a hook this moves nothing
    case 0: PMPI_Wait(request, status); break;
#endif
    case 1:
      while (!flag) MPI_Test(request, &flag, status);
      break;
    case 2: MPI_Waitall(1, request, status); break;
    case 3: MPI_Waitany(1, request, &index, status); break;
    case 4: MPI_Waitsome(1, request, &count, &index, status); break;
    case 5:
      while (!flag) MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
      MPI_Wait(request, status);
      break;
    default: MPI_Wait(request, status);
  }
  CHECK(*request == copy, "the handle to stay, way %u", way);
}

static void check_status(MPI_Status* status, unsigned way) {
  int cancelled = 1, bytes = -1;
  MPI_Test_cancelled(status, &cancelled);
  MPI_Get_count(status, MPI_BYTE, &bytes);
  CHECK(!cancelled && bytes == 0, "cancelled %d, %d bytes, way %u", cancelled, bytes, way);
}

static int value[2], sum[2];
static MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

static void make(unsigned i) {
  INIT(Allreduce)(&value[i], &sum[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
}

static int errors;
static void on_error(MPI_Comm* comm, int* code, ...) {
  int class = MPI_SUCCESS;
  (void)comm;
  MPI_Error_class(*code, &class);
  CHECK(class == MPI_ERR_REQUEST, "error class %d", class);
  MPI_Barrier(MPI_COMM_SELF);  // handlers may call MPI
  ++errors;
}

// An error, which the handler is told of and which changes nothing; rank 0 starts when all have tried.
static void start_active_ones(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  make(0);
  value[0] = 1;
  if (world_rank > 0) {
    MPI_Start(&requests[0]);
    CHECK(MPI_Start(&requests[0]) != MPI_SUCCESS && errors == 1, "an error, not %d", errors);
    MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    for (int i = 1; i < world_size; ++i) MPI_Recv(NULL, 0, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Start(&requests[0]);
  }
  MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  CHECK(sum[0] == world_size, "%d", sum[0]);
  MPI_Request_free(&requests[0]);
  MPI_Errhandler_free(&handler);
}

// Moves, and so ends, what the other thread has started.
static MPI_Comm other_comm;
static void* work_in_another_thread(void* nothing) {
  int one = 1, all = 0;
  for (int i = 0; i < 3 * kRounds; ++i) MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, other_comm);
  CHECK(all == world_size, "%d", all);
  return nothing;
}

// By two requests in turn, of which the other is not active or not even there.
static void run(void) {
  uint64_t seed = 1;  // the same on all ranks: they go the same ways
  for (int round = 0; round < kRounds; ++round) {
    const unsigned which = draw(&seed) % 2;
    const unsigned way = draw(&seed) % kWays;
    MPI_Request* const request = &requests[which];
    MPI_Status status;
    if (*request == MPI_REQUEST_NULL) make(which);
    value[which] = round + world_rank, sum[which] = -1;
    come_late(round);
    MPI_Start(request);
    complete(way, request, &status);
    check_status(&status, way);
    const int wanted = world_size * round + world_size * (world_size - 1) / 2;
    CHECK(sum[which] == wanted, "%d in round %d, not %d", sum[which], round, wanted);
    MPI_Wait(request, &status);  // inactive
    check_status(&status, way);
    if (draw(&seed) % 10 == 0) MPI_Request_free(request);
  }
  for (int i = 0; i < 2; ++i)
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
}

int main(int argc, char** argv) {
  const int threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  pthread_t thread;
  begin_with_threads(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  MPI_Comm_dup(MPI_COMM_WORLD, &other_comm);
  if (threads) pthread_create(&thread, NULL, work_in_another_thread, NULL);
  run();
  if (threads) pthread_join(thread, NULL);
  MPI_Comm_free(&other_comm);
  start_active_ones();
  return end("%d rounds", kRounds);
}
