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

// How operations start: each alone, together on all ranks after a barrier or at an agreed time, and the
// median counts; or back to back, and the mean counts (where ranks outnumber cores and messages are quick, no
// start can be synchronised).
enum start { kBackToBack, kBarrier, kAgreedTime };
// Collective over MPI_COMM_WORLD.
void runs_start(enum start how);
int runs_are_synchronised(void);

// Operations so far: the same on all ranks when one starts.
extern long turn;

struct phases run_once(const struct job* job);

// Starts, then computes slices and tests until it is complete. A slice counts as `slice_alone_ns` of
// kCompute; of the other phases there is the total.
struct phases poll_once(struct collective* c, double slice_ns, double slice_alone_ns);

// Before run `i` of many: those that are synchronised wait for one another. Whether this rank came too late.
// Collective over MPI_COMM_WORLD, as is all that follows.
int line_up(long i);

// Every job `count` times, in turn, so that all see the machine in the same mood; found[j] is typical of
// jobs[j]. Runs for which some rank came too late are left out, unless that leaves none.
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
