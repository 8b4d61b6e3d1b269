// SPDX-License-Identifier: BSD-3-Clause
// A message too large for any eager buffer is under way while a collective completes: the collective's
// waiting has to move the host, which moves the message.
#include "check.h"

enum { kWords = 1 << 20 };
static int out[kWords], in[kWords];

static void collective(int kind, int round) {
  int word = world_rank + round, sum = 0;
  MPI_Request request;
  switch (kind) {
    case 0: MPI_Barrier(MPI_COMM_WORLD); break;
    case 1:
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 2: MPI_Bcast(&word, 1, MPI_INT, round % world_size, MPI_COMM_WORLD); break;
    default: MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  for (int round = 0; round < 8; ++round) {
    MPI_Request request;
    for (int i = 0; i < kWords; ++i) out[i] = i ^ (world_rank << 8) ^ round;
    MPI_Isend(out, kWords, MPI_INT, next, round, MPI_COMM_WORLD, &request);
    if (world_rank % 2 == 0 || round % 2 == 0) {
      collective(round % 4, round);
      MPI_Recv(in, kWords, MPI_INT, previous, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, kWords, MPI_INT, previous, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      collective(round % 4, round);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < kWords; ++i) CHECK(in[i] == (i ^ (previous << 8) ^ round), "%d at %d", in[i], i);
  }
  return end("8 rounds of 4 MiB");
}
