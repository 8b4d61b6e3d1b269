// SPDX-License-Identifier: BSD-3-Clause
// A program whose MPI_Finalize does not pass through Weft, as one behind another tool that wraps it: it ends
// all the same.
#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int mine = world_rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size * (world_size - 1) / 2, "%d", sum);
  if (world_rank == 0) printf("%d\n", sum);
  PMPI_Finalize();
  return 0;
}
