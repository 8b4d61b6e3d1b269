// SPDX-License-Identifier: BSD-3-Clause
// A message has come for an operation that its receiver has not started yet. The receiver's waits move the
// host all the same: the large message that another collective depends on arrives.
#include "check.h"

enum { kBytes = 16 << 20, kRounds = 4 };
static char buffer[kBytes];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int last = world_size - 1, token = 1;
  MPI_Comm others;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank == last, world_rank, &others);
  for (int round = 0; round < kRounds; ++round) {
    int word = world_rank == last ? round : -1, got = 0;
    MPI_Request bcast, large;
    if (world_rank == last) {
      MPI_Ibcast(&word, 1, MPI_INT, last, MPI_COMM_WORLD, &bcast);
      MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
      if (world_rank == 0) {
        MPI_Recv(&got, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Isend(buffer, kBytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &large);
      } else if (world_rank == 1) {
        MPI_Recv(buffer, kBytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Barrier(others);
      if (world_rank == 0) MPI_Wait(&large, MPI_STATUS_IGNORE);
      MPI_Ibcast(&word, 1, MPI_INT, last, MPI_COMM_WORLD, &bcast);
    }
    MPI_Wait(&bcast, MPI_STATUS_IGNORE);
    CHECK(word == round, "MPI_Ibcast gave %d in round %d", word, round);
  }
  MPI_Comm_free(&others);
  return end("%d rounds", kRounds);
}
