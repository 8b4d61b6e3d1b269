// SPDX-License-Identifier: BSD-3-Clause
// What the child of a fork has of its parent's connections: prints how many sockets fewer than rank 0 itself.
#include "sockets.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  const int missing = sockets_of_weft();
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size, "%d", sum);
  return end("%d", missing);
}
