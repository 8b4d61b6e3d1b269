// SPDX-License-Identifier: BSD-3-Clause
// Runs of one operation with computation in it, many of them, and what is typical of a rank and of all ranks.
#ifndef WEFT_BENCH_RUNS_H
#define WEFT_BENCH_RUNS_H

#include "harness/collective.h"
#include "harness/inside.h"

enum phase { kStart, kCompute, kTest, kWait, kTotal, kPhases };

struct phases {
  double ns[kPhases];
};

// What one run does: start, slices of computation with a test between them, wait.
struct job {
  struct collective* c;  // null: the computation alone
  double work_ns;
  long tests;
};

// Does every operation start alone, together on all ranks, and the median count; or do they run back to back,
// and the mean counts? (Where ranks outnumber cores, no start can be synchronised.)
extern int synchronised;

// Operations so far: the same on all ranks when one starts.
extern long turn;

struct phases run_once(const struct job* job);

// Starts, then computes slices and tests until it is complete. A slice counts as `slice_alone_ns` of
// kCompute; of the other phases there is the total.
struct phases poll_once(struct collective* c, double slice_ns, double slice_alone_ns);

// Before run `i` of many: those that are synchronised wait for one another. Collective over MPI_COMM_WORLD,
// as is all that follows.
void line_up(long i);

// Every job `count` times, in turn, so that all see the machine in the same mood; found[j] is typical of
// jobs[j].
void run_in_turn(const struct job* jobs, int job_count, long count, struct phases* found);

// Median or mean; sorts.
double typical(double* values, long count);
struct phases typical_phases(const struct phases* samples, long count);

// CPU time of a run of `job` beyond one of `without`, and how often it wakes up the threads that move
// operations, if `without` has none: means over ranks.
double cpu_beyond_ns(const struct job* job, const struct job* without, long count, struct wakes* woken);

// The phases of the rank whose total is greatest: it determines how long a balanced program runs. Returns
// that rank.
int take_slowest(struct phases* p);
void take_greatest(double* values, int count);

#endif
