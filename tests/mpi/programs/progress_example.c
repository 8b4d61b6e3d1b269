// SPDX-License-Identifier: BSD-3-Clause
// The standard's progress example: rank 0 receives before it completes its Ibarrier; the message is sent by a
// rank whose own Ibarrier is complete. Rank 0's part of the barrier has to move while it sits in MPI_Recv.
// Argument: whether requests are completed through MPI_ or PMPI_ names.
#include "check.h"

static int through_pmpi;

static void complete(MPI_Request* request) {
  if (through_pmpi) PMPI_Wait(request, MPI_STATUS_IGNORE);
  else MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  through_pmpi = argc > 1 && strcmp(argv[1], "pmpi") == 0;
  for (int round = 0; round < 50; ++round) {
    MPI_Request request;
    int word = -1;
    const int sender = 1 + round % (world_size - 1);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (world_rank == 0) {
      MPI_Recv(&word, 1, MPI_INT, sender, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(word == round, "%d in round %d", word, round);
    }
    complete(&request);
    CHECK(request == MPI_REQUEST_NULL, "the request in round %d", round);
    if (world_rank == sender) MPI_Send(&round, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  }
  return end("50 rounds");
}
