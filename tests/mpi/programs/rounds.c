// SPDX-License-Identifier: BSD-3-Clause
// Four ranks reduce to rank 0, the parent of all, and rank 1 comes only when it is told to. Rank 0 prints how
// many contributions it has added up before: by dependencies those of ranks 2 and 3, by rounds none.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../../../include/weft/weft.h"
#include "check.h"

enum { kTests = 1000 };  // of the request, while there is nothing to wait for
static int (*told)(struct weft_times*);

static int reductions(void) {
  struct weft_times times;
  CHECK(told(&times) == WEFT_SUCCESS, "WEFT_TIMES=1 is set");
  return (int)times.reductions.count;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  told = (int (*)(struct weft_times*))dlsym(RTLD_DEFAULT, "weft_times");
  CHECK(told != NULL, "the library exports what weft.h declares");
  const int by_rounds = argc > 1 && strcmp(argv[1], "rounds") == 0;
  double in = world_rank + 1, out = 0;
  int token = 0, early = 0;
  MPI_Request request;
  if (world_rank == 1) PMPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Ireduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request);
  if (world_rank >= 2) PMPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (world_rank == 0) {
    for (int rank = 2; rank < 4; ++rank)
      PMPI_Recv(&token, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; early == 0 && (i < kTests || !by_rounds); ++i) {
      int complete;
      MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
      CHECK(!complete, "rank 1 has not come yet");
      early = reductions();
    }
    PMPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(world_rank != 0 || out == 10, "the sum is %g", out);
  return end("%d", early);
}
