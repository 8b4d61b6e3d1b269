// SPDX-License-Identifier: BSD-3-Clause
// Communicators made and freed again and again leave nothing behind. Argument: how many; prints the growth of
// this process's resident memory over the second half, in KiB, one line per rank.
#include <unistd.h>

#include "check.h"

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2, "/proc/self/statm");
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int cycles = argc > 1 ? atoi(argv[1]) : 20000;
  long half_way = 0;
  for (int i = 0; i < cycles; ++i) {
    MPI_Comm comm;
    int sum = -1, wanted = 0;
    const int parts = 1 + i % 2;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % parts, world_rank, &comm);
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int r = world_rank % parts; r < world_size; r += parts) wanted += r;
    CHECK(sum == wanted, "%d in cycle %d, wanted %d", sum, i, wanted);
    MPI_Comm_free(&comm);
    if (i == cycles / 2) half_way = resident_kib();
  }
  printf("growth %ld KiB\n", resident_kib() - half_way);
  return end("%d cycles", cycles);
}
