// SPDX-License-Identifier: BSD-3-Clause
#include "cores.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

static const char kVariable[] = "WEFT_BENCH_CORES";

// The number before the rank-th comma; -1 if there are fewer.
static int core_of(const char* list, int rank) {
  for (; rank > 0 && list != NULL; --rank) {
    list = strchr(list, ',');
    if (list != NULL) ++list;
  }
  return list == NULL ? -1 : atoi(list);
}

void cores_take(void) {
  const char* list = getenv(kVariable);
  // By the launcher's variable, which is PMIx's or PMI-1's: MPI itself cannot be asked yet.
  const char* rank = getenv("PMIX_RANK") != NULL ? getenv("PMIX_RANK") : getenv("PMI_RANK");
  const int core = list == NULL || rank == NULL ? -1 : core_of(list, atoi(rank));
  if (core < 0 || core >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

void cores_confirm(void) {
  const char* list = getenv(kVariable);
  if (list == NULL) return;
  int rank, are_there;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int core = core_of(list, rank);
  cpu_set_t set;
  const int is_there = sched_getaffinity(0, sizeof set, &set) == 0 && core >= 0 && core < CPU_SETSIZE &&
                       CPU_COUNT(&set) == 1 && CPU_ISSET(core, &set);
  MPI_Allreduce(&is_there, &are_there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!are_there) refuse(kVariable, "some rank cannot run on its core, or the MPI has put it elsewhere");
}
