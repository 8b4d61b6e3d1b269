// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking collectives do not synchronise: rank 0 starts one and then sends synchronously to a rank that
// receives before it starts its own. A collective hidden inside the first start would wait for ever. Tried
// for every kind, on the world and on communicators that have never been used.
#include "check.h"

static int in[2][64], out[64];

static void start(int kind, int which, MPI_Comm comm, MPI_Request* request) {
  switch (kind) {
    case 0: MPI_Ibarrier(comm, request); break;
    case 1: MPI_Ibcast(in[which], 3, MPI_INT, 0, comm, request); break;
    case 2: MPI_Ireduce(out, in[which], 3, MPI_INT, MPI_SUM, 0, comm, request); break;
    case 3: MPI_Iallreduce(out, in[which], 3, MPI_INT, MPI_SUM, comm, request); break;
    case 4: MPI_Iallgather(out, 3, MPI_INT, in[which], 3, MPI_INT, comm, request); break;
    default: MPI_Ialltoall(out, 3, MPI_INT, in[which], 3, MPI_INT, comm, request); break;
  }
}

static void both_orders(int kind, MPI_Comm comm) {
  MPI_Request requests[2];
  int word = 1;
  if (world_rank == world_size - 1) MPI_Recv(&word, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
  start(kind, 0, comm, &requests[0]);
  if (world_rank == 0) MPI_Ssend(&word, 1, MPI_INT, world_size - 1, 2, comm);
  start(kind, 1, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (kind == 3) CHECK(in[0][2] == world_size && in[1][2] == world_size, "%d and %d", in[0][2], in[1][2]);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm fresh;
  for (int i = 0; i < 64; ++i) out[i] = 1;
  for (int kind = 0; kind < 6; ++kind) {
    both_orders(kind, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    both_orders(kind, fresh);
    MPI_Comm_free(&fresh);
  }
  return end("6 kinds, twice");
}
