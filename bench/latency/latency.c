// SPDX-License-Identifier: BSD-3-Clause
// How long one collective takes: a plain MPI program, the same binary with and without Weft.
//
//   latency --collectives barrier,iallreduce --bytes 8,65536 --method single
//
// Methods, and how their times come to one figure:
//   single  every operation alone after a synchronised start, its time the maximum over ranks; over the
//           operations --reduce median, mean, min or max (NBCBench, section 4). --start barrier: behind a
//           dissemination barrier of messages; window: at an agreed time on synchronised clocks;
//           agreed: at one for which all ranks sleep, so that they need no core each
//   osu     every operation timed by itself with an MPI_Barrier behind it; mean over operations and ranks
//           (OSU micro-benchmarks)
//   loop    back to back; mean over operations and ranks (the Cheetah and the MPI_Iallreduce papers)
//   sizes   as loop, but no two of up to 10,000 operations in turn have blocks of the same size: from half of
//           the size to one and a half of it, item by item, which on average is the size itself; where each
//           block has a length of its own, also within an operation, and from nothing to twice the size
//   kinds   as loop, but operations have another datatype in turn: as many bytes of doubles, and of integers
//           of 8, 4, 2 and 1 bytes, where they divide the size
// Non-blocking and persistent forms: start and wait. --per-rank 1 adds every rank's own time and, where the
// library can tell, how much of it the rank waits for its first data. Rank 0 prints one JSON line per
// collective and size, as soon as it is measured and its answer checked.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "harness/arguments.h"
#include "harness/collective.h"
#include "harness/inside.h"
#include "harness/iterations.h"
#include "harness/line.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kMostSamples = 100000 };
static double samples[kMostSamples], slowest[kMostSamples];
static char late[kMostSamples];

static const char *method = "single", *start_by = "barrier", *reduce_by = "median", *buffers = "rotating",
                  *datatype = "predefined";
static struct word_list collectives = {1, {"allreduce"}};
static struct number_list sizes = {1, {8}};
static double milliseconds = 100, iterations = 0, per_rank = 0;
static int all_late;

// What a method measured: nanoseconds over operations, each the slowest rank's (single) or one mean.
struct measurement {
  struct summary over_operations;
  double mine;  // this rank's own, reduced in the same way
  long operations, late;
  double start_uncertainty_ns;
};

static double mean_over_ranks(double mine) {
  int ranks;
  double sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / ranks;
}

static struct measurement one_mean(double mine, long operations) {
  const double mean = mean_over_ranks(mine);
  return (struct measurement){{mean, mean, mean, mean}, mine, operations, 0, 0};
}

// Operations back to back. `next`, if there is one, changes the collective for each.
static struct measurement measure_loop(struct collective* c, long operations,
                                       void (*next)(struct collective*, long turn)) {
  leave_together(MPI_COMM_WORLD);
  const int64_t begin = ticks_now();
  for (long i = 0; i < operations; ++i) {
    if (next != NULL) next(c, i);
    collective_run(c, i);
  }
  return one_mean((ticks_to_ns(ticks_now() - begin) - ticks_cost_ns()) / (double)operations, operations);
}

// The lengths of the blocks of `sizes`, in items: those in the middle have as many as the size that was asked
// for, and the others at most so many more or less.
enum { kMostApart = 5000 };
static int middle;
static int apart_in(const struct collective* c) {
  const int most = c->has_lists ? middle : middle / 2;
  return most < kMostApart ? most : kMostApart;
}

static void next_size(struct collective* c, long turn) {
  const int apart = apart_in(c), least = middle - apart, most = middle + apart;
  if (apart == 0) return;
  if (c->has_lists) collective_vary_counts(c, turn, least, most);
  else collective_set_count(c, least + (int)(turn % (most - least + 1)));
}

static struct measurement measure_sizes(struct collective* c, long operations) {
  middle = c->count;
  if (c->has_lists) collective_set_count(c, middle + apart_in(c));  // so far apart lie the blocks
  const struct measurement m = measure_loop(c, operations, next_size);
  collective_set_count(c, middle);
  return m;
}

enum { kMostKinds = 5 };
static struct {
  MPI_Datatype type;
  size_t bytes;
} kinds[kMostKinds];
static int kind_count;

static void next_kind(struct collective* c, long turn) {
  const int kind = (int)(turn % kind_count);
  if (c->bytes > 0) collective_set_type(c, kinds[kind].type, kinds[kind].bytes);
}

static struct measurement measure_kinds(struct collective* c, long operations) {
  const MPI_Datatype integers[] = {MPI_LONG, MPI_INT, MPI_SHORT, MPI_SIGNED_CHAR};
  kinds[0].type = c->type, kinds[0].bytes = c->item;
  kind_count = 1;
  for (int i = 0; i < kMostKinds - 1; ++i) {
    int size;
    MPI_Type_size(integers[i], &size);
    if (c->bytes % (size_t)size != 0) continue;
    kinds[kind_count].type = integers[i], kinds[kind_count].bytes = (size_t)size;
    ++kind_count;
  }
  const struct measurement m = measure_loop(c, operations, next_kind);
  next_kind(c, 0);
  return m;
}

static struct measurement measure_osu(struct collective* c, long operations) {
  double total = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < operations; ++i) {
    const int64_t begin = ticks_now();
    collective_run(c, i);
    total += ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return one_mean(total / (double)operations, operations);
}

static void start_by_barrier(struct collective* c, long operations) {
  for (long i = 0; i < operations; ++i) {
    leave_together(MPI_COMM_WORLD);
    const int64_t begin = ticks_now();
    collective_run(c, i);
    samples[i] = ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
  }
}

static long count_late(long operations) {
  MPI_Allreduce(MPI_IN_PLACE, late, (int)operations, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  long count = 0;
  for (long i = 0; i < operations; ++i) count += late[i];
  return count;
}

// A window has to hold the operation and its stragglers. Four times what one takes back to back usually does;
// where most operations began late, on a busy machine or a slow network, it is made longer.
static double start_by_window(struct collective* c, long operations, double expected_ns) {
  double length_ns = 4 * expected_ns + 2000;
  for (int attempt = 0;; ++attempt, length_ns *= 4) {
    const struct windows windows = windows_open(length_ns);
    for (long i = 0; i < operations; ++i) {
      int missed;
      const int64_t begin = window_wait(&windows, i, &missed);
      collective_run(c, i);
      samples[i] = ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
      late[i] = (char)missed;
    }
    if (count_late(operations) <= operations / 2 || attempt == 5) return windows.uncertainty_ns;
  }
}

// Each at a time that all agree on after the one before, which no crowd of ranks on few cores can hold up.
static double start_at_agreed_times(struct collective* c, long operations) {
  const struct windows windows = windows_open(0);
  for (long i = 0; i < operations; ++i) {
    late[i] = (char)leave_at_agreed_time(&windows, MPI_COMM_WORLD);
    const int64_t begin = ticks_now();
    collective_run(c, i);
    samples[i] = ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
  }
  // Where ranks outnumber cores by far, somebody is late each time: then nothing is left out.
  all_late = count_late(operations) == operations;
  if (all_late) memset(late, 0, sizeof late);
  return windows.uncertainty_ns;
}

// Operations that a rank began late are not counted.
static struct measurement measure_single(struct collective* c, long operations, double expected_ns) {
  struct measurement m = {0};
  if (operations > kMostSamples) operations = kMostSamples;
  memset(late, 0, sizeof late);
  if (strcmp(start_by, "window") == 0) m.start_uncertainty_ns = start_by_window(c, operations, expected_ns);
  else if (strcmp(start_by, "agreed") == 0) m.start_uncertainty_ns = start_at_agreed_times(c, operations);
  else start_by_barrier(c, operations);
  MPI_Allreduce(samples, slowest, (int)operations, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (long i = 0; i < operations; ++i) {
    if (late[i]) continue;
    samples[m.operations] = samples[i];
    slowest[m.operations++] = slowest[i];
  }
  m.late = operations - m.operations;
  m.over_operations = summarize(slowest, m.operations);
  const struct summary own = summarize(samples, m.operations);
  m.mine = *summary_field(&own, reduce_by);
  return m;
}

// How much of an operation this rank waits for the first data, if the library can tell. Taken apart from the
// times above, which are those of an undisturbed library.
static double first_data_ns(struct collective* c, long operations) {
  const int is_single = strcmp(method, "single") == 0;
  long known = 0;
  if (operations > kMostSamples) operations = kMostSamples;
  for (long i = 0; i < operations; ++i) {
    if (is_single) leave_together(MPI_COMM_WORLD);
    else if (strcmp(method, "osu") == 0) MPI_Barrier(MPI_COMM_WORLD);
    const struct inside before = inside_taken();
    collective_run(c, i);
    const struct inside after = inside_taken();
    if (after.operations > before.operations)
      samples[known++] = after.until_first_data_ns - before.until_first_data_ns;
  }
  if (known == 0) return NAN;  // the library left them to the host
  const struct summary own = summarize(samples, known);
  return is_single ? *summary_field(&own, reduce_by) : own.mean;
}

static void report_per_rank(const char* key, double mine_ns) {
  double* of_ranks = NULL;
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (me == 0 && (of_ranks = malloc((size_t)ranks * sizeof *of_ranks)) == NULL)
    refuse("--per-rank", "no memory");
  const double mine_us = mine_ns / 1e3;
  MPI_Gather(&mine_us, 1, MPI_DOUBLE, of_ranks, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  record_numbers(key, of_ranks, me == 0 ? ranks : 0);
  free(of_ranks);
}

static void report_ranks(struct collective* c, const struct measurement* m, long operations) {
  report_per_rank("per_rank_microseconds", m->mine);
  if (!inside_take(kOperationTimes)) return;
  report_per_rank("per_rank_first_data_microseconds", first_data_ns(c, operations));
  inside_take(kNoTimes);
}

static struct collective make(const char* name, size_t bytes) {
  const enum datatype one = datatype_of(datatype);
  if (one == kStrided && strcmp(method, "kinds") == 0)
    refuse("--method kinds", "takes predefined datatypes in turn");
  if (strcmp(method, "sizes") != 0)
    return collective_make(name, bytes, buffers_of(buffers), one, MPI_COMM_WORLD);
  const size_t item = bytes % sizeof(double) == 0 ? sizeof(double) : 1, count = bytes / item;
  size_t most = bytes + (count < kMostApart ? count : kMostApart) * item;
  if (item == 1 && most % sizeof(double) == 0) ++most;  // lest it be made for doubles
  struct collective c = collective_make(name, most, buffers_of(buffers), one, MPI_COMM_WORLD);
  if (c.bytes > 0) collective_set_count(&c, (int)count);
  return c;
}

static int measure(const char* name, size_t bytes) {
  struct collective c = make(name, bytes);
  if (c.form == kPersistent && (strcmp(method, "sizes") == 0 || strcmp(method, "kinds") == 0))
    refuse(name, "a persistent operation has one size and one datatype: --method loop");
  double expected_ns;
  const long operations = iterations_for(&c, milliseconds, (long)iterations, &expected_ns);
  const double line_before = line_ns();
  const struct measurement m = strcmp(method, "single") == 0  ? measure_single(&c, operations, expected_ns)
                               : strcmp(method, "osu") == 0   ? measure_osu(&c, operations)
                               : strcmp(method, "sizes") == 0 ? measure_sizes(&c, operations)
                               : strcmp(method, "kinds") == 0 ? measure_kinds(&c, operations)
                                                              : measure_loop(&c, operations, NULL);
  const double line_after = line_ns();
  const int right = collective_is_right(&c);
  record_begin("latency");
  record_text("collective", name);
  record_count("bytes", c.bytes == 0 ? 0 : (long)bytes);
  record_text("method", method);
  if (strcmp(method, "single") == 0) {
    record_text("start", start_by);
    record_text("reduced_by", reduce_by);
    record_count("late", m.late);
    if (strcmp(start_by, "agreed") == 0) record_truth("all_late", all_late);
    if (strcmp(start_by, "barrier") != 0) record_number("start_uncertainty_ns", m.start_uncertainty_ns);
  }
  record_text("datatype", datatype);
  record_text("buffers", buffers);
  record_count("buffer_pairs", c.buffers);
  record_count("operations", m.operations);
  // NaN becomes null: there is no figure where no operation began in time.
  record_number("microseconds", m.operations > 0 ? *summary_field(&m.over_operations, reduce_by) / 1e3 : NAN);
  record_number("minimum", m.over_operations.minimum / 1e3);
  record_number("median", m.over_operations.median / 1e3);
  record_number("mean", m.over_operations.mean / 1e3);
  record_number("maximum", m.over_operations.maximum / 1e3);
  record_number("line_ns_before", line_before);
  record_number("line_ns_after", line_after);
  if (per_rank != 0) report_ranks(&c, &m, operations);
  record_truth("right", right);
  record_end();
  collective_free(&c);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct argument table[] = {{.name = "collectives", .words = &collectives},
                                   {.name = "bytes", .numbers = &sizes},
                                   {.name = "method", .word = &method},
                                   {.name = "start", .word = &start_by},
                                   {.name = "reduce", .word = &reduce_by},
                                   {.name = "buffers", .word = &buffers},
                                   {.name = "datatype", .word = &datatype},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {.name = "iterations", .number = &iterations},
                                   {.name = "per-rank", .number = &per_rank},
                                   {0}};
  arguments_parse(argc, argv, table);
  collectives_require(&collectives);
  ticks_calibrate();
  const int right = collectives_measure(&collectives, &sizes, measure);
  line_end();
  MPI_Finalize();
  return right ? 0 : 1;
}
