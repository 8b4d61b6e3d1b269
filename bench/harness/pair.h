// SPDX-License-Identifier: BSD-3-Clause
// Memory that ranks 0 and 1 share.
#ifndef WEFT_BENCH_PAIR_H
#define WEFT_BENCH_PAIR_H

#include <mpi.h>
#include <stddef.h>

enum { kLine = 128 };  // adjacent cache lines are fetched in pairs

struct pair {
  MPI_Comm comm;  // of the two
  MPI_Win window;
  char* memory;  // from a line on
};

// Collective over MPI_COMM_WORLD. False, with nothing to close, on the other ranks, and where the two are on
// different nodes.
int pair_open(struct pair* pair, size_t bytes);
void pair_close(struct pair* pair);

#endif
