// SPDX-License-Identifier: BSD-3-Clause
// What a collective costs its ranks in CPU time: a plain MPI program, the same binary with and without Weft.
// (Sources of overhead: Hoefler, Lumsdaine, Rehm 2007, section 4.5.)
//
//   overhead --collectives iallreduce --bytes 8,65536 --compute burn --tests 4
//
//   in one go  |start|wait|
//   cpu        |start|..compute..|test|..compute..|test|..compute..|wait|   less the computation by itself
//
// The computation takes twice as long as the operation does in one go, so that there is enough of it. Its two
// kinds are in harness/computation.h; where ranks outnumber cores only sleep leaves a core to who has work to
// do. What is counted is the CPU time of all threads of the process, over batches of operations with the
// computation and of the computation alone, in turn. Of a blocking form all is in one go.
//
// All in microseconds for one operation, medians over batches or operations, and means over ranks:
//   cpu_us, cpu_greatest_us            CPU time beside the computation; that of the rank that has most
//   in_one_go_us, in_one_go_cpu_us     time, and CPU time, with nothing between start and wait
//   start_us, test_us, wait_us         time inside the calls
//   first_start_us, repeated_start_us  the call that starts an operation (that does it all, if it blocks): of
//                                      shapes that come for the first time, as many schedules have to be
//                                      built; and of the same shapes when they come again
//   planning_us … rest_us              what the library itself says that the time was spent on, if it can
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "harness/arguments.h"
#include "harness/collective.h"
#include "harness/computation.h"
#include "harness/inside.h"
#include "harness/iterations.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kBatch = 10, kMostBatches = 500, kShapes = 16 };

static const char *computation = "burn", *buffers = "rotating";
static struct word_list collectives = {1, {"iallreduce"}};
static struct number_list sizes = {1, {8}};
static double milliseconds = 100, iterations = 0, tests = 4;
static long turn = 0;

// One collective, and the piece of computation between its start, its tests and its wait; 0 for none.
struct job {
  struct collective* c;  // null: the computation alone
  double slice_ns;
};

struct calls {
  double start_ns, test_ns, wait_ns;
};

static double since(int64_t* last) {
  const int64_t now = ticks_now();
  const double ns = ticks_to_ns(now - *last) - ticks_cost_ns();
  *last = now;
  return ns;
}

// Where `calls` is null no clock is read.
static void run_once(const struct job* job, struct calls* calls) {
  struct calls ignored, *const spent = calls == NULL ? &ignored : calls;
  struct started started;
  int complete = job->c == NULL;
  *spent = (struct calls){0, 0, 0};
  int64_t last = calls == NULL ? 0 : ticks_now();
  if (job->c != NULL) collective_start(job->c, turn++, &started);
  if (calls != NULL) spent->start_ns = since(&last);
  for (int i = 0; job->slice_ns > 0 && i <= (int)tests; ++i) {
    compute(job->slice_ns);
    if (calls != NULL) since(&last);
    if (complete || i == (int)tests) continue;
    complete = collective_test(&started);
    if (calls != NULL) spent->test_ns += since(&last);
  }
  if (job->c != NULL) collective_wait(&started);
  if (calls != NULL) spent->wait_ns = since(&last);
}

static void run_batch(const struct job* job) {
  for (int i = 0; i < kBatch; ++i) {
    if (job->c != NULL && job->c->form == kBlocking) collective_run(job->c, turn++);
    else run_once(job, NULL);
  }
}

struct cost {
  double cpu_ns, elapsed_ns;
};

static struct cost cost_of_batch(const struct job* job) {
  leave_together(MPI_COMM_WORLD);
  const double cpu_before = cpu_time_ns();
  int64_t last = ticks_now();
  run_batch(job);
  const double elapsed_ns = since(&last);
  return (struct cost){(cpu_time_ns() - cpu_before) / kBatch, elapsed_ns / kBatch};
}

// How many batches of operations that take `one_ns` fit into a share of the time; the same on all ranks.
static long fitting(double share, double one_ns) {
  const double count = iterations > 0 ? iterations / kBatch : share * milliseconds * 1e6 / (one_ns * kBatch);
  return count < 3 ? 3 : count > kMostBatches ? kMostBatches : (long)count;
}

// What an operation costs beyond its computation; batches of both in turn.
static struct cost cost_beyond_computation(const struct job* job, long batches) {
  static double cpu[kMostBatches], elapsed[kMostBatches];
  const struct job alone = {NULL, job->slice_ns};
  for (long i = 0; i < batches; ++i) {
    const struct cost with = cost_of_batch(job), without = cost_of_batch(&alone);
    cpu[i] = with.cpu_ns - without.cpu_ns;
    elapsed[i] = with.elapsed_ns - without.elapsed_ns;
  }
  return (struct cost){summarize(cpu, batches).median, summarize(elapsed, batches).median};
}

static double over_ranks(double mine, MPI_Op op) {
  int ranks;
  double all;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return op == MPI_SUM ? all / ranks : all;
}

static void report(const char* key, double mine_ns) {
  record_number(key, over_ranks(mine_ns, MPI_SUM) / 1e3);
}

static void report_calls(const struct job* job, long batches) {
  enum { kMost = kMostBatches * kBatch };
  static double start[kMost], test[kMost], wait[kMost];
  const long count = batches * kBatch;
  for (long i = 0; i < count; ++i) {
    struct calls calls;
    if (i % kBatch == 0) leave_together(MPI_COMM_WORLD);
    run_once(job, &calls);
    start[i] = calls.start_ns;
    test[i] = calls.test_ns;
    wait[i] = calls.wait_ns;
  }
  report("start_us", summarize(start, count).median);
  report("test_us", summarize(test, count).median);
  report("wait_us", summarize(wait, count).median);
}

// Passing time is CPU time as long as every rank has a core.
static void report_parts(const struct job* job, long batches) {
  const int shares_cores = strcmp(computation, "sleep") == 0;
  static double of_batches[kInsideParts][kMostBatches];
  if (!inside_take(shares_cores ? kCpuParts : kElapsedParts)) return;
  struct inside before = inside_taken();
  for (long i = 0; i < batches; ++i) {
    leave_together(MPI_COMM_WORLD);
    run_batch(job);
    const struct inside after = inside_taken();
    for (int part = 0; part < kInsideParts; ++part)
      of_batches[part][i] = (after.ns[part] - before.ns[part]) / kBatch;
    before = after;
  }
  inside_take(kNoTimes);
  record_number("executed_by_weft", over_ranks(before.operations / (double)(batches * kBatch), MPI_SUM));
  for (int part = 0; part < kInsideParts; ++part) {
    char key[40];
    snprintf(key, sizeof key, "%s_us", inside_part_names[part]);
    report(key, summarize(of_batches[part], batches).median);
  }
}

static double time_to_start(struct collective* c) {
  struct started started;
  leave_together(MPI_COMM_WORLD);
  int64_t last = ticks_now();
  if (c->form == kBlocking) collective_run(c, 0);
  else collective_start(c, 0, &started);
  const double ns = since(&last);
  if (c->form != kBlocking) collective_wait(&started);
  return ns;
}

// On one communicator that has been used before: the blocks get one item larger from shape to shape.
static void report_first_calls(const char* name, size_t bytes) {
  const size_t item = bytes % sizeof(double) == 0 ? sizeof(double) : 1;
  double first[kShapes], again[kShapes];
  struct collective c = collective_make(name, bytes + kShapes * item, kHot, kPredefined, MPI_COMM_WORLD);
  const int has_shapes = c.bytes > 0 && c.form != kPersistent, largest = c.count;
  for (int i = 0; i < 3; ++i) collective_run(&c, i);
  for (int pass = 0; has_shapes && pass < 2; ++pass)
    for (int shape = 0; shape < kShapes; ++shape) {
      c.count = largest - kShapes + shape;
      for (int r = 0; r < c.ranks; ++r) c.counts[r] = c.count;
      (pass == 0 ? first : again)[shape] = time_to_start(&c);
    }
  collective_free(&c);
  report("first_start_us", has_shapes ? summarize(first, kShapes).median : NAN);
  report("repeated_start_us", has_shapes ? summarize(again, kShapes).median : NAN);
}

static double slice_for(double one_go_ns) {
  const double shortest = computation_shortest_ns(), slice_ns = 2 * one_go_ns / (tests + 1);
  return over_ranks(slice_ns > shortest ? slice_ns : shortest, MPI_MAX);
}

static int measure(const char* name, size_t bytes) {
  struct collective c = collective_make(name, bytes, buffers_of(buffers), kPredefined, MPI_COMM_WORLD);
  double expected_ns;
  iterations_for(&c, milliseconds / 4, (long)iterations, &expected_ns);
  struct job job = {&c, 0};
  const struct cost in_one_go = cost_beyond_computation(&job, fitting(0.2, expected_ns));
  if (c.form != kBlocking) job.slice_ns = slice_for(in_one_go.elapsed_ns);
  const double one_ns = expected_ns + job.slice_ns * (tests + 1);
  const struct cost cost =
      c.form == kBlocking ? in_one_go : cost_beyond_computation(&job, fitting(0.4, 2 * one_ns));
  const int right = collective_is_right(&c);
  record_begin("overhead");
  record_text("collective", name);
  record_count("bytes", (long)c.bytes);
  record_text("compute", computation);
  record_number("computation_us", job.slice_ns * (tests + 1) / 1e3);
  record_count("tests", job.slice_ns > 0 ? (long)tests : 0);
  record_text("buffers", buffers);
  report("cpu_us", cost.cpu_ns);
  record_number("cpu_greatest_us", over_ranks(cost.cpu_ns, MPI_MAX) / 1e3);
  report("in_one_go_us", in_one_go.elapsed_ns);
  report("in_one_go_cpu_us", in_one_go.cpu_ns);
  if (c.form != kBlocking) report_calls(&job, fitting(0.1, one_ns));
  report_parts(&job, fitting(0.2, one_ns));
  report_first_calls(name, bytes);
  record_truth("right", right);
  record_end();
  collective_free(&c);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct argument table[] = {
      {.name = "collectives", .words = &collectives}, {.name = "bytes", .numbers = &sizes},
      {.name = "compute", .word = &computation},      {.name = "tests", .number = &tests},
      {.name = "buffers", .word = &buffers},          {.name = "milliseconds", .number = &milliseconds},
      {.name = "iterations", .number = &iterations},  {0}};
  arguments_parse(argc, argv, table);
  collectives_require(&collectives);
  ticks_calibrate();
  computation_choose(computation);
  const int right = collectives_measure(&collectives, &sizes, measure);
  MPI_Finalize();
  return right ? 0 : 1;
}
