// SPDX-License-Identifier: BSD-3-Clause
// As many operations as the argument says, of several kinds, on communicators that come and go. Afterwards
// the process has the descriptors and threads that it had before, and no more memory.
#include <dirent.h>
#include <unistd.h>

#include "check.h"

enum { kWarmUp = 5000, kPerCommunicator = 1000, kMostGrowth = 2 << 20 };

static int entries_of(const char* path) {
  DIR* const folder = opendir(path);
  CHECK(folder != NULL, "%s", path);
  int count = 0;
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2, "statm");
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

// One operation of each kind in turn; the root of what is rooted runs ahead.
static void operate(MPI_Comm comm, int number) {
  int mine = world_rank + number, sum = 0, root = number % world_size;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (number % 4) {
    case 0:
      MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(sum == world_size * number + world_size * (world_size - 1) / 2, "iallreduce %d: %d", number, sum);
      break;
    case 1:
      MPI_Bcast(&mine, 1, MPI_INT, root, comm);
      CHECK(mine == root + number, "bcast %d: %d", number, mine);
      break;
    case 2: MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, comm); break;
    default: MPI_Ibarrier(comm, &request); MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void operate_many(int from, int to) {
  MPI_Comm comm = MPI_COMM_NULL;
  for (int number = from; number < to; ++number) {
    if (number % kPerCommunicator == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    operate(comm, number);
    if ((number + 1) % kPerCommunicator == 0) MPI_Comm_free(&comm);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int count = atoi(argv[1]);
  operate_many(0, kWarmUp);
  const int descriptors = entries_of("/proc/self/fd"), threads = entries_of("/proc/self/task");
  const long before = resident_bytes();
  operate_many(kWarmUp, count);
  // There may be fewer: of two connections that a host's processes make at once it closes one, some time
  // later.
  CHECK(entries_of("/proc/self/fd") <= descriptors, "%d, not %d descriptors", entries_of("/proc/self/fd"),
        descriptors);
  CHECK(entries_of("/proc/self/task") == threads, "%d, not %d threads", entries_of("/proc/self/task"),
        threads);
  CHECK(resident_bytes() - before < kMostGrowth, "%ld bytes more", resident_bytes() - before);
  return end("%d operations", count);
}
