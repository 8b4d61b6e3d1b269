// SPDX-License-Identifier: BSD-3-Clause
// Operations that are handed over: handed_over FOLDER COUNT [OTHER], of doubles. All ranks, but for that
// other one, start one, and all but the last then stay outside of MPI until the last one has its result,
// which it says by a file: some of them have to pass on what they get.
#include <unistd.h>

#include "check.h"

enum { kPatience = 20000 };

static int count, rank, size;
static MPI_Comm comm;
static double *mine, *result;

static MPI_Request start(const char* what) {
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < count; ++i) mine[i] = rank + i;
  for (int i = 0; i < size * count; ++i) result[i] = -1;
  if (strcmp(what, "iallreduce") == 0)
    MPI_Iallreduce(mine, result, count, MPI_DOUBLE, MPI_SUM, comm, &request);
  if (strcmp(what, "ibarrier") == 0) MPI_Ibarrier(comm, &request);
  if (strcmp(what, "ibcast") == 0) MPI_Ibcast(mine, count, MPI_DOUBLE, 0, comm, &request);
  if (strcmp(what, "iallgather") == 0)
    MPI_Iallgather(mine, count, MPI_DOUBLE, result, count, MPI_DOUBLE, comm, &request);
  return request;
}

static void check_result(const char* what) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(what, "iallreduce") == 0)
      CHECK(result[i] == size * (size - 1) / 2.0 + (double)size * i, "%s %d", what, i);
    if (strcmp(what, "ibcast") == 0) CHECK(mine[i] == i, "%s %d", what, i);
    if (strcmp(what, "iallgather") == 0)
      for (int from = 0; from < size; ++from)
        CHECK(result[from * count + i] == from + i, "%s %d of rank %d", what, i, from);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  count = atoi(argv[2]);
  const int is_other = argc > 3 && world_rank == atoi(argv[3]);
  MPI_Comm_split(MPI_COMM_WORLD, is_other, 0, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  mine = malloc((size_t)count * sizeof *mine);
  result = malloc((size_t)count * (size_t)size * sizeof *result);
  const char* const all[] = {"iallreduce", "ibarrier", "ibcast", "iallgather"};
  for (int k = 0; k < 4 && !is_other; ++k) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", argv[1], all[k]);
    MPI_Request request = start(all[k]);
    if (rank == size - 1) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      FILE* const file = fopen(path, "w");
      CHECK(file != NULL, "%s", path);
      fclose(file);
    } else {
      int waited = 0;
      for (; access(path, F_OK) != 0 && waited < kPatience; ++waited) usleep(1000);
      CHECK(waited < kPatience, "%s has ended on the last rank while the others compute", all[k]);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    check_result(all[k]);
    MPI_Barrier(comm);
  }
  return end("4 operations");
}
