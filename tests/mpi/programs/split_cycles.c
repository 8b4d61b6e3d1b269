// SPDX-License-Identifier: BSD-3-Clause
// Communicators and datatypes that are made, used once and freed leave nothing behind. Arguments: how many
// cycles, and how many communicators are alive at once in the end, all of them used. Prints, one line per
// rank, by how much this process grew over the second half of the cycles: its resident memory, its open
// files, and what Weft says that it holds of the node's shared memory.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include "check.h"

enum { kMostAlive = 2000 };

struct holdings {
  long resident_kib, files, shared_bytes;
};

static struct holdings held(void) {
  struct holdings now = {0, 0, 0};
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2, "/proc/self/statm");
  fclose(file);
  now.resident_kib = resident * (sysconf(_SC_PAGESIZE) / 1024);
  DIR* files = opendir("/proc/self/fd");
  while (readdir(files) != NULL) ++now.files;
  closedir(files);
  int (*const ask)(uint64_t*) = __extension__(int (*)(uint64_t*)) dlsym(RTLD_DEFAULT, "weft_shared_memory");
  uint64_t bytes = 0;
  if (ask != NULL) ask(&bytes);
  now.shared_bytes = (long)bytes;
  return now;
}

// A panel of a matrix, as a solver sends it: a column less each time, then all over again.
static void panel(int i, MPI_Comm comm) {
  enum { kRows = 7, kColumns = 60 };
  static double matrix[kRows][kColumns];
  const int columns = kColumns - i % kColumns, root = 0;
  int rank = 0;
  MPI_Datatype type;
  MPI_Comm_rank(comm, &rank);
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column)
      matrix[row][column] = rank == root ? i + row + column : -1;
  MPI_Type_vector(kRows, columns, kColumns, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(matrix, 1, type, root, comm);
  MPI_Type_free(&type);
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const double wanted = rank == root || column < columns ? i + row + column : -1;
      CHECK(matrix[row][column] == wanted, "%g at %d, %d of panel %d", matrix[row][column], row, column, i);
    }
}

static void cycle(int i) {
  MPI_Comm comm;
  int sum = -1, wanted = 0;
  const int parts = 1 + i % 2;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % parts, world_rank, &comm);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  for (int r = world_rank % parts; r < world_size; r += parts) wanted += r;
  CHECK(sum == wanted, "%d in cycle %d, wanted %d", sum, i, wanted);
  panel(i, comm);
  MPI_Comm_free(&comm);
}

static void all_alive(int count) {
  static MPI_Comm comms[kMostAlive];
  static int all[kMostAlive * 16];
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < count; ++i) {
    const int mine = world_rank + i;
    int sum = -1;
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comms[i]);
    for (int r = 0; r < world_size; ++r)
      CHECK(all[r] == r + i, "%d of rank %d on communicator %d", all[r], r, i);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_MAX, comms[i]);
    CHECK(sum == world_size - 1 + i, "%d on communicator %d", sum, i);
  }
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(argc == 3, "%d arguments", argc);
  const int cycles = atoi(argv[1]), alive = atoi(argv[2]);
  struct holdings before = held();
  for (int i = 0; i < cycles; ++i) {
    cycle(i);
    if (i == cycles / 2) before = held();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const struct holdings after = held();
  printf("growth %ld KiB, %ld files, %ld shared bytes\n", after.resident_kib - before.resident_kib,
         after.files - before.files, after.shared_bytes - before.shared_bytes);
  all_alive(alive);
  return end("%d cycles, %d alive", cycles, alive);
}
