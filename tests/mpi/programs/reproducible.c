// SPDX-License-Identifier: BSD-3-Clause
// The same summands in messages of every size, by Allreduce and, for every root, by Reduce: with
// WEFT_REPRODUCIBLE=1 the bits of a sum depend on the number of ranks alone. Prints how many different sums
// came out, and the first.
#include "check.h"

enum { kMost = 40000 };

// Summands of very different size and sign, so that another order of additions gives other bits.
static double summand(int rank) {
  return (rank % 2 ? -1.0 : 1.0) * (1.0 + rank) * (rank % 3 == 0 ? 1e16 : 1.1);
}

static int count_different(const double* sums, int count, double first) {
  int different = 0;
  for (int i = 0; i < count; ++i) different += memcmp(&sums[i], &first, sizeof first) != 0;
  return different;
}

int main(int argc, char** argv) {
  static double mine[kMost], sums[kMost];
  // Around what fits into a line, is left whole, and is cut into fragments.
  static const int counts[] = {1, 2, 7, 8, 100, 512, 513, 5000, 8192, 8193, kMost};
  double all_first = 0, reduce_first = 0;
  int all_different = 0, reduce_different = 0;
  begin(&argc, &argv);
  for (int i = 0; i < kMost; ++i) mine[i] = summand(world_rank);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    MPI_Allreduce(mine, sums, counts[c], MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (c == 0) all_first = sums[0];
    all_different += count_different(sums, counts[c], all_first);
    for (int root = 0; root < world_size; ++root) {
      MPI_Request request;
      MPI_Ireduce(mine, sums, counts[c], MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (world_rank != root) memset(sums, 0, sizeof sums);
      MPI_Bcast(sums, counts[c], MPI_DOUBLE, root, MPI_COMM_WORLD);
      if (c == 0 && root == 0) reduce_first = sums[0];
      reduce_different += count_different(sums, counts[c], reduce_first);
    }
  }
  return end("allreduce %d reduce %d %a %a", all_different, reduce_different, all_first, reduce_first);
}
