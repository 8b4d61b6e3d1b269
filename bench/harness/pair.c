// SPDX-License-Identifier: BSD-3-Clause
#include "pair.h"

#include <stdint.h>

int pair_open(struct pair* pair, size_t bytes) {
  int me, ranks, unit;
  MPI_Comm two;
  MPI_Aint size;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_split(MPI_COMM_WORLD, me < 2 ? 0 : MPI_UNDEFINED, me, &two);
  if (two == MPI_COMM_NULL) return 0;
  MPI_Comm_split_type(two, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &pair->comm);
  MPI_Comm_free(&two);
  MPI_Comm_size(pair->comm, &ranks);
  if (ranks < 2) {
    MPI_Comm_free(&pair->comm);
    return 0;
  }
  MPI_Win_allocate_shared(me == 0 ? (MPI_Aint)(bytes + kLine) : 0, 1, MPI_INFO_NULL, pair->comm,
                          &pair->memory, &pair->window);
  MPI_Win_shared_query(pair->window, 0, &size, &unit, &pair->memory);
  pair->memory = (char*)(((uintptr_t)pair->memory + kLine - 1) / kLine * kLine);
  return 1;
}

void pair_close(struct pair* pair) {
  MPI_Win_free(&pair->window);
  MPI_Comm_free(&pair->comm);
}
