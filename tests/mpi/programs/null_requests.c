// SPDX-License-Identifier: BSD-3-Clause
// Lists in which requests of collectives lie beside MPI_REQUEST_NULL and messages, in all places: every Wait
// and Test completes what there is. The last rank is late, so that nothing is complete when the others look.
#include <unistd.h>

#include "check.h"

enum { kLength = 4, kWays = 6 };

// Each place of the list by its digit to the base of three.
static void start(int code, MPI_Request* requests, int* received) {
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  for (int place = 0; place < kLength; ++place, code /= 3) {
    requests[place] = MPI_REQUEST_NULL;
    received[place] = left;
    if (code % 3 == 1) MPI_Ibarrier(MPI_COMM_WORLD, &requests[place]);
    if (code % 3 != 2) continue;
    MPI_Irecv(&received[place], 1, MPI_INT, left, place, MPI_COMM_WORLD, &requests[place]);
    MPI_Send(&world_rank, 1, MPI_INT, right, place, MPI_COMM_WORLD);
  }
}

static void complete(int way, MPI_Request* requests) {
  int flag = 0, count = 0, which[kLength];
  MPI_Status statuses[kLength];
  switch (way) {
    case 0: MPI_Waitall(kLength, requests, MPI_STATUSES_IGNORE); break;
    case 1: MPI_Waitall(kLength, requests, statuses); break;
    case 2:
      while (!flag) MPI_Testall(kLength, requests, &flag, statuses);
      break;
    case 3:  // some become null on the way
      MPI_Waitany(kLength, requests, &which[0], &statuses[0]);
      MPI_Waitall(kLength, requests, statuses);
      break;
    case 4:
      while (count != MPI_UNDEFINED) MPI_Waitsome(kLength, requests, &count, which, statuses);
      break;
    default:
      while (count != MPI_UNDEFINED) MPI_Testsome(kLength, requests, &count, which, statuses);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int code = 0; code < 81; ++code)
    for (int way = 0; way < kWays; ++way) {
      MPI_Request requests[kLength];
      int received[kLength];
      if (world_rank == world_size - 1) usleep(300);
      start(code, requests, received);
      complete(way, requests);
      for (int place = 0; place < kLength; ++place) {
        CHECK(requests[place] == MPI_REQUEST_NULL, "place %d of list %d by way %d", place, code, way);
        CHECK(received[place] == (world_rank + world_size - 1) % world_size, "%d", received[place]);
      }
    }
  return end("null requests");
}
