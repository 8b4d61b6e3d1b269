// SPDX-License-Identifier: BSD-3-Clause
// One persistent collective, started again and again and completed each time in another way, while some rank
// is late or nobody is. Its status says nothing that a program could take for a cancelled message.
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

// By two requests in turn, of which the other is not active or not even there.
int main(int argc, char** argv) {
  begin(&argc, &argv);
  uint64_t seed = 1;  // the same on all ranks: they go the same ways
  for (int round = 0; round < kRounds; ++round) {
    const unsigned which = draw(&seed) % 2;
    MPI_Request* const request = &requests[which];
    if (*request == MPI_REQUEST_NULL) make(which);
    const unsigned way = draw(&seed) % kWays;
    MPI_Status status;
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
  return end("%d rounds", kRounds);
}
