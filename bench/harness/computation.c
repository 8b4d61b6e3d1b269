// SPDX-License-Identifier: BSD-3-Clause
#include "computation.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "arguments.h"
#include "statistics.h"
#include "ticks.h"

static int sleeps;
static double step_ns = 1, waking_ns;  // of one step of the loop; what a sleep takes beyond its length
static volatile uint64_t sink;

static void burn(long steps) {
  uint64_t x = sink;
  for (long i = 0; i < steps; ++i) {
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    __asm__ volatile("" : "+r"(x));  // as many steps as were asked for, one after another
  }
  sink = x;
}

// The quickest of many short tries: a core that is shared for a moment makes single ones slow.
static double measured_step_ns(void) {
  enum { kTries = 200, kSteps = 10000 };
  double quickest = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const int64_t begin = ticks_now();
    burn(kSteps);
    const double one = (ticks_to_ns(ticks_now() - begin) - ticks_cost_ns()) / kSteps;
    if (one < quickest) quickest = one;
  }
  return quickest;
}

static double measured_waking_ns(void) {
  enum { kTries = 25 };
  const double asked_ns = 1000;
  double taken[kTries];
  for (int i = 0; i < kTries; ++i) {
    const int64_t begin = ticks_now();
    sleep_for_ns(asked_ns);
    taken[i] = ticks_to_ns(ticks_now() - begin) - asked_ns;
  }
  return summarize(taken, kTries).median;
}

void computation_choose(const char* kind) {
  sleeps = strcmp(kind, "sleep") == 0;
  double* const calibrated = sleeps ? &waking_ns : &step_ns;
  *calibrated = sleeps ? measured_waking_ns() : measured_step_ns();
  MPI_Allreduce(MPI_IN_PLACE, calibrated, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}

void compute(double ns) {
  if (ns <= 0) return;
  if (sleeps) sleep_for_ns(ns > waking_ns + 1 ? ns - waking_ns : 1);
  else burn((long)(ns / step_ns));
}

double computation_shortest_ns(void) { return sleeps ? waking_ns : 0; }

double cpu_time_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}
