// SPDX-License-Identifier: BSD-3-Clause
// Pairs of ranks that speak with one another alone, and part at different times. Prints how many sockets of
// Weft's rank 0 has meanwhile.
#include <unistd.h>

#include "sockets.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, world_rank, &pair);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    if (world_rank == 0 && i == 50) found = sockets_of_weft();
    int sum = world_rank, partner = world_rank ^ 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, pair);
    CHECK(sum == world_rank + partner, "%d", sum);
  }
  MPI_Comm_free(&pair);
  usleep(world_rank / 2 * 50000);
  return end("%d", found);
}
