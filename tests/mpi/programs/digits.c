// SPDX-License-Identifier: BSD-3-Clause
// Prints sums of doubles by MPI_Allreduce, of each size a fingerprint of the bits: other orders of additions
// give others.
#include "check.h"

enum { kMost = 1 << 17 };

static uint64_t fingerprint_of(const double* sums, int count) {
  uint64_t all = 0;
  for (int i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &sums[i], sizeof bits);
    all = (all ^ bits) * 0x9e3779b97f4a7c15u;
    all ^= all >> 29;
  }
  return all;
}

int main(int argc, char** argv) {
  static double mine[kMost], sums[kMost];
  begin(&argc, &argv);
  uint64_t state = 88172645463325252u + (uint64_t)world_rank;
  for (int i = 0; i < kMost; ++i) mine[i] = ((double)draw(&state) - 2e9) / (3 + i % 1000);
  for (int count = 1; count <= kMost; count *= 2) {
    MPI_Allreduce(mine, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0) printf("%d: %016llx\n", count, (unsigned long long)fingerprint_of(sums, count));
  }
  return end("done");
}
