// SPDX-License-Identifier: BSD-3-Clause
#include "runs.h"

#include <mpi.h>
#include <stdlib.h>

#include "harness/arguments.h"
#include "harness/computation.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kBatch = 10 };  // of runs back to back

static enum start start;
static struct windows clocks;
long turn = 0;

void runs_start(enum start how) {
  start = how;
  if (start == kAgreedTime) clocks = windows_open(0);
}
int runs_are_synchronised(void) { return start != kBackToBack; }

static double since(int64_t* last) {
  const int64_t now = ticks_now();
  const double ns = ticks_to_ns(now - *last) - ticks_cost_ns();
  *last = now;
  return ns;
}

struct phases run_once(const struct job* job) {
  struct phases p = {{0}};
  struct started started;
  const double slice_ns = job->work_ns / (double)(job->tests + 1);
  int complete = job->c == NULL;
  int64_t last = ticks_now();
  if (job->c != NULL) collective_start(job->c, turn++, &started);
  p.ns[kStart] = since(&last);
  for (long i = 0; i <= job->tests; ++i) {
    compute(slice_ns);
    p.ns[kCompute] += since(&last);
    if (complete || i == job->tests) continue;
    complete = collective_test(&started);
    p.ns[kTest] += since(&last);
  }
  if (job->c != NULL) collective_wait(&started);
  p.ns[kWait] = since(&last);
  for (int phase = 0; phase < kTotal; ++phase) p.ns[kTotal] += p.ns[phase];
  return p;
}

struct phases poll_once(struct collective* c, double slice_ns, double slice_alone_ns) {
  struct phases p = {{0}};
  struct started started;
  int64_t begin = ticks_now();
  collective_start(c, turn++, &started);
  do {
    compute(slice_ns);
    p.ns[kCompute] += slice_alone_ns;
  } while (!collective_test(&started));
  p.ns[kTotal] = since(&begin);
  return p;
}

int line_up(long i) {
  if (start == kAgreedTime) return leave_at_agreed_time(&clocks, MPI_COMM_WORLD);
  if (start == kBarrier || i % kBatch == 0) leave_together(MPI_COMM_WORLD);
  return 0;
}

static void* memory(long count, size_t size) {
  void* const allocated = malloc((size_t)count * size);
  if (allocated == NULL) refuse("--iterations", "there is not enough memory for the samples");
  return allocated;
}

double typical(double* values, long count) {
  const struct summary s = summarize(values, count);
  return runs_are_synchronised() ? s.median : s.mean;
}

struct phases typical_phases(const struct phases* samples, long count) {
  double* const column = memory(count, sizeof *column);
  struct phases found;
  for (int phase = 0; phase < kPhases; ++phase) {
    for (long i = 0; i < count; ++i) column[i] = samples[i].ns[phase];
    found.ns[phase] = typical(column, count);
  }
  free(column);
  return found;
}

// Moves the runs for which nobody came too late to the front, and says how many there are.
static long leave_out_late(struct phases* samples, const signed char* late, long count) {
  long in_time = 0;
  for (long i = 0; i < count; ++i)
    if (!late[i]) samples[in_time++] = samples[i];
  return in_time > 0 ? in_time : count;
}

void run_in_turn(const struct job* jobs, int job_count, long count, struct phases* found) {
  const long batch = runs_are_synchronised() ? 1 : kBatch;
  struct phases* const samples = memory(job_count * count, sizeof *samples);
  signed char* const late = memory(job_count * count, 1);
  for (long done = 0; done < count; done += batch)
    for (int j = 0; j < job_count; ++j)
      for (long i = done; i < done + batch && i < count; ++i) {
        late[j * count + i] = (signed char)line_up(i);
        samples[j * count + i] = run_once(&jobs[j]);
      }
  MPI_Allreduce(MPI_IN_PLACE, late, (int)(job_count * count), MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
  for (int j = 0; j < job_count; ++j) {
    const long in_time = leave_out_late(samples + j * count, late + j * count, count);
    found[j] = typical_phases(samples + j * count, in_time);
  }
  free(late);
  free(samples);
}

static double cpu_of(const struct job* job) {
  const double before = cpu_time_ns();
  run_once(job);
  return cpu_time_ns() - before;
}

static double mean_of_ranks(double value) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return value / ranks;
}

double cpu_beyond_ns(const struct job* job, const struct job* without, long count, struct wakes* woken) {
  double* const differences = memory(count, sizeof *differences);
  const struct wakes before = inside_wakes();
  for (long i = 0; i < count; ++i) {
    line_up(i);
    differences[i] = cpu_of(job) - cpu_of(without);
  }
  const struct wakes after = inside_wakes();
  woken->agent = mean_of_ranks((after.agent - before.agent) / (double)count);
  woken->trigger = mean_of_ranks((after.trigger - before.trigger) / (double)count);
  const double mine = typical(differences, count);
  free(differences);
  return mean_of_ranks(mine);
}

int take_slowest(struct phases* p) {
  struct {
    double ns;
    int rank;
  } total = {p->ns[kTotal], 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &total.rank);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  MPI_Bcast(p->ns, kPhases, MPI_DOUBLE, total.rank, MPI_COMM_WORLD);
  return total.rank;
}

void take_greatest(double* values, int count) {
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
