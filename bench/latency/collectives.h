// SPDX-License-Identifier: BSD-3-Clause
// The collectives that can be timed, by name, and how to see that one did what it should.
#ifndef BENCH_LATENCY_COLLECTIVES_H
#define BENCH_LATENCY_COLLECTIVES_H

#include <mpi.h>

struct Buffers {
  double* send;  // `count` doubles per block
  double* recv;
  int count;
  int rank, ranks;
};

struct Collective {
  const char* name;  // "iallreduce": a leading i means start and wait
  void (*run)(const struct Buffers*);
  void (*fill)(const struct Buffers*);       // puts the contributions there
  long (*count_wrong)(const struct Buffers*);  // elements that are not what they should be
};

const struct Collective* find_collective(const char* name);
void print_collective_names(void);

#endif
