// SPDX-License-Identifier: BSD-3-Clause
// What the punctual ranks lose when others come late to a collective: a plain MPI program, the same binary
// with and without Weft. (Pseudo-synchronisation: Hoefler, Lumsdaine, Rehm 2007, section 2.)
//
//   skew --collectives allreduce,iallreduce --bytes 8 --late one --rank 0 --by 10000,100000
//
// --by is in nanoseconds. One operation, blocking, and non-blocking or persistent:
//
//   late rank   |<------ by ------>|collective|
//   the others  |collective...................|
//
//   late rank   |<------ by ------>|start|<-- compute: by -->|wait|
//   the others  |start|<-- compute: by -->|wait|
//
// Computation on every rank is as long as somebody may be late, so that what is lost is what the library
// could not move to the background. Lost is the time in MPI (the collective; start and wait) beyond what it
// is when nobody is late, with the same computation. Both are measured in turn, each operation alone after a
// dissemination barrier, and are medians over operations of the mean (and of the greatest) over the punctual.
//   --late one     rank --rank is late; punctual are all others
//   --late random  every rank is late, in every operation anew, by something between 0 and --by; all of them
//                  count. --seed, rank and operation alone decide: the sequence is the same under every MPI
//
// Who can lose at all (roots are rank 0):
//   barrier, allreduce, allgather,  everybody needs every rank: all wait for any
//   alltoall, reduce_scatter
//   bcast, scatter                  all wait for the root; for another rank those that get their data by it
//   gather, reduce                  the root waits for any, and so do inner ranks of a tree; nobody for the
//                                   root, where messages are buffered
//   scan, exscan                    the ranks above wait
//   neighbor_...                    the two neighbours wait
//   sendrecv, isend                 the right neighbour waits; the left one where its message is not buffered
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "harness/arguments.h"
#include "harness/collective.h"
#include "harness/computation.h"
#include "harness/iterations.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kMostRuns = 5000 };

static const char *computation = "burn", *late = "one", *buffers = "rotating";
static struct word_list collectives = {1, {"iallreduce"}};
static struct number_list sizes = {1, {8}}, delays = {1, {100000}};
static double milliseconds = 100, iterations = 0, late_rank = 0, seed = 1;
static int me, ranks, all_late;
static long turn = 0;

// What a rank spends in one collective.
struct lost {
  double mean_ns, greatest_ns;
};

// SplitMix64's finaliser: the same for every library, whatever was measured before.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static double lateness_ns(long operation, double by_ns) {
  if (!all_late) return me == (int)late_rank ? by_ns : 0;
  const uint64_t drawn = mix(mix(mix((uint64_t)seed) + (uint64_t)me) + (uint64_t)operation);
  return by_ns * (double)(drawn >> 11) / (double)(UINT64_C(1) << 53);
}

// Time in the collective, of this rank.
static double run_once(struct collective* c, double late_by_ns, double compute_ns) {
  struct started started;
  leave_together(MPI_COMM_WORLD);
  compute(late_by_ns);
  const int64_t begin = ticks_now();
  if (c->form == kBlocking) {
    collective_run(c, turn++);
    return ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
  }
  collective_start(c, turn++, &started);
  const int64_t away = ticks_now();
  compute(compute_ns);
  const int64_t back = ticks_now();
  collective_wait(&started);
  return ticks_to_ns(ticks_now() - back + away - begin) - 2 * ticks_cost_ns();
}

// Over the punctual ranks, then over operations. `times` is lost.
static struct lost over_ranks(double* times, long count) {
  static double reduced[kMostRuns];
  const int counts = all_late || me != (int)late_rank;
  struct lost lost;
  for (long i = 0; i < count; ++i) times[i] = counts ? times[i] : 0;
  MPI_Allreduce(times, reduced, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  lost.mean_ns = summarize(reduced, count).median / (all_late ? ranks : ranks - 1);
  MPI_Allreduce(times, reduced, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  lost.greatest_ns = summarize(reduced, count).median;
  return lost;
}

// What was asked for: the mean over operations and ranks.
static double mean_lateness_ns(long count, double by_ns) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum += lateness_ns(i, by_ns);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / (double)count / ranks;
}

// A pair of operations: being late and computing, twice, and the operation itself.
static long fitting(double expected_ns, double by_ns) {
  const double longest_ns = by_ns + computation_shortest_ns();
  const double count = iterations > 0 ? iterations : milliseconds * 1e6 / (2 * expected_ns + 3 * longest_ns);
  return count < 3 ? 3 : count > kMostRuns ? kMostRuns : (long)count;
}

static int measure(struct collective* c, double by_ns, double expected_ns) {
  static double with_ns[kMostRuns], without_ns[kMostRuns];
  const long count = fitting(expected_ns, by_ns);
  for (long i = 0; i < count; ++i) {
    without_ns[i] = run_once(c, 0, by_ns);
    with_ns[i] = run_once(c, lateness_ns(i, by_ns), by_ns);
  }
  const struct lost without = over_ranks(without_ns, count), with = over_ranks(with_ns, count);
  const double late_ns = mean_lateness_ns(count, by_ns);
  const long checked = turn;
  collective_refresh(c, checked);
  run_once(c, lateness_ns(0, by_ns), by_ns);
  const int right = collective_result_is_right(c, checked);
  record_begin("skew");
  record_text("collective", c->name);
  record_count("bytes", (long)c->bytes);
  record_text("late", late);
  if (all_late) record_count("seed", (long)seed);
  else record_count("late_rank", (long)late_rank);
  record_number("by_us", by_ns / 1e3);
  record_number("mean_late_us", late_ns / 1e3);
  record_text("compute", computation);
  record_text("buffers", buffers);
  record_count("operations", count);
  record_number("without_us", without.mean_ns / 1e3);
  record_number("with_us", with.mean_ns / 1e3);
  record_number("lost_us", (with.mean_ns - without.mean_ns) / 1e3);
  record_number("most_lost_us", (with.greatest_ns - without.greatest_ns) / 1e3);
  record_truth("right", right);
  record_end();
  return right;
}

static int measure_delays(const char* name, size_t bytes) {
  struct collective c = collective_make(name, bytes, buffers_of(buffers), kPredefined, MPI_COMM_WORLD);
  double expected_ns;
  int right = 1;
  iterations_for(&c, milliseconds / 2, (long)iterations, &expected_ns);
  for (int d = 0; d < delays.count; ++d) right &= measure(&c, (double)delays.numbers[d], expected_ns);
  collective_free(&c);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct argument table[] = {{.name = "collectives", .words = &collectives},
                                   {.name = "bytes", .numbers = &sizes},
                                   {.name = "late", .word = &late},
                                   {.name = "rank", .number = &late_rank},
                                   {.name = "by", .numbers = &delays},
                                   {.name = "seed", .number = &seed},
                                   {.name = "compute", .word = &computation},
                                   {.name = "buffers", .word = &buffers},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {.name = "iterations", .number = &iterations},
                                   {0}};
  arguments_parse(argc, argv, table);
  collectives_require(&collectives);
  all_late = strcmp(late, "random") == 0;
  ticks_calibrate();
  computation_choose(computation);
  const int right = collectives_measure(&collectives, &sizes, measure_delays);
  MPI_Finalize();
  return right ? 0 : 1;
}
