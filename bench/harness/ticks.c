// SPDX-License-Identifier: BSD-3-Clause
#include "ticks.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "statistics.h"

int ticks_are_tsc = 0;
static double ns_per_tick = 1, cost_ns = 0;

static int tsc_is_invariant(void) {
  static char line[1 << 14];
  int constant = 0, nonstop = 0;
#if defined(__x86_64__)
  FILE* file = fopen("/proc/cpuinfo", "r");
  while (file != NULL && !constant && fgets(line, sizeof line, file) != NULL) {
    constant = strstr(line, " constant_tsc") != NULL;
    nonstop = strstr(line, " nonstop_tsc") != NULL;
  }
  if (file != NULL) fclose(file);
#endif
  (void)line;
  return constant && nonstop;
}

// Both clocks at one moment: of several tries the one that was disturbed least.
static void read_both(int64_t* ticks, int64_t* ns) {
  int64_t narrowest = INT64_MAX;
  for (int i = 0; i < 20; ++i) {
    const int64_t before = ticks_now(), middle = monotonic_ns(), after = ticks_now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    *ticks = before + (after - before) / 2;
    *ns = middle;
  }
}

static double measured_rate(void) {
  int64_t first_ticks, first_ns, last_ticks, last_ns;
  read_both(&first_ticks, &first_ns);
  const struct timespec pause = {.tv_nsec = 100000000};
  nanosleep(&pause, NULL);
  read_both(&last_ticks, &last_ns);
  return (double)(last_ns - first_ns) / (double)(last_ticks - first_ticks);
}

static double measured_cost_ns(void) {
  enum { kReadings = 1001 };
  static double empty[kReadings];
  for (int i = 0; i < kReadings; ++i) {
    const int64_t start = ticks_now();
    empty[i] = ticks_to_ns(ticks_now() - start);
  }
  return summarize(empty, kReadings).median;
}

void ticks_calibrate(void) {
  int me;
  double rate = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  ticks_are_tsc = tsc_is_invariant();
  MPI_Allreduce(MPI_IN_PLACE, &ticks_are_tsc, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (me == 0 && ticks_are_tsc) rate = measured_rate();
  MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  ns_per_tick = rate;
  cost_ns = measured_cost_ns();
}

double ticks_to_ns(int64_t ticks) { return (double)ticks * ns_per_tick; }
int64_t ticks_from_ns(double ns) { return (int64_t)(ns / ns_per_tick); }
double ticks_cost_ns(void) { return cost_ns; }

const char* ticks_source(void) {
  static char text[40];
  if (!ticks_are_tsc) return "CLOCK_MONOTONIC";
  snprintf(text, sizeof text, "tsc %.4f GHz", 1 / ns_per_tick);
  return text;
}

// By default the kernel wakes a process up to 50 us late on purpose.
void sleep_for_ns(double ns) {
  static int is_exact = 0;
  if (!is_exact) is_exact = prctl(PR_SET_TIMERSLACK, 1UL) == 0;
  const int64_t whole = (int64_t)ns;
  const struct timespec length = {.tv_sec = whole / 1000000000, .tv_nsec = whole % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
}
