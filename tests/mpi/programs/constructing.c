// SPDX-License-Identifier: BSD-3-Clause
// The first rank starts a collective and makes a communicator before it completes it; all others complete it
// first, for which they need the first rank's part. Argument: what it makes.
#include "check.h"

enum { kNumbers = 1 << 20 };
static int in[kNumbers], out[kNumbers];
static MPI_Comm half, inter, unserved, made;

static void make(const char* what) {
  const int odd = world_rank % 2;
  if (strcmp(what, "dup") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &made);
  if (strcmp(what, "dup_of_unserved") == 0) MPI_Comm_dup(unserved, &made);
  if (strcmp(what, "intercomm_create") == 0) MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 7, &made);
  if (strcmp(what, "intercomm_merge") == 0) MPI_Intercomm_merge(inter, odd, &made);
  if (strcmp(what, "intercomm_dup") == 0) MPI_Comm_dup(inter, &made);
  if (strcmp(what, "intercomm_split") == 0) MPI_Comm_split(inter, 0, 0, &made);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(world_rank % 2), 5, &inter);
  PMPI_Comm_dup(MPI_COMM_WORLD, &unserved);  // nobody of Weft sees it being born
  for (int i = 0; i < kNumbers; ++i) in[i] = world_rank + i;
  MPI_Iallreduce(in, out, kNumbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  if (world_rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  make(argv[1]);
  if (world_rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < kNumbers; ++i)
    CHECK(out[i] == world_size * i + world_size * (world_size - 1) / 2, "%d at %d", out[i], i);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  MPI_Comm_free(&unserved);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  return end("%s", argv[1]);
}
