// SPDX-License-Identifier: BSD-3-Clause
// How much computation fits beside a non-blocking collective: a plain MPI program, the same binary with and
// without Weft.
//
//   overlap --collectives iallreduce,ibcast --bytes 8,65536 --compute burn --test-every 2048
//
// The anatomy of one operation (NBCBench, section 4.2):
//
//   |start|......compute......|test|......compute......|test|......compute......|wait|
//   |<-------------------------------- total --------------------------------------->|
//
// The computation is as long as the operation takes without any (pure: start, wait), and is cut evenly by one
// MPI_Test for every --test-every bytes that a rank sends and receives (0: none). Sleep cannot be cut finer
// than the kernel wakes a process: it gets longer instead.
//
// The ways to say "overlap" in one figure are percentages of raw times in the record
// (python/weft/bench/overlap_formulas.py):
//   wait-based        work_grid_us, total_grid_us: start, compute W, wait, for W from nothing (pure) to
//                     1.25 of the pure time; W as it takes alone
//   polling-based     polling_work_us, polling_total_us: start, then slices of work and MPI_Test until it
//                     is complete
//   OSU's and IMB's   pure_us, compute_us, total_us: as in the picture
//   CPU availability  availability_alone_us: slices of work; availability_under_way_us: with a test after
//                     each, and the next operation started as soon as one is complete
// Slices are a sixteenth of the pure time. Ranks agree on every length, and each of them computes as much.
//
// Every time is over operations the median of a rank (--start barrier: each operation alone after a
// dissemination barrier; --start window: at an agreed time; --start none: back to back, and the mean), over
// ranks the slowest one's, whose phases add up. Times to be compared are measured in turn. cpu_us is the CPU
// time that all threads of a process spend on one operation beside the computation, the mean over ranks; what
// an adapter or the kernel does outside of any process is not in it. Beside it: how often the threads wake up
// that move operations, for one that is overlapped, the mean over ranks.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "harness/arguments.h"
#include "harness/collective.h"
#include "harness/computation.h"
#include "harness/inside.h"
#include "harness/iterations.h"
#include "harness/record.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"
#include "runs.h"

enum { kMostRuns = 5000, kSlicesOfPure = 16 };
enum { kPures = 5, kSteps = 20, kStepsOfPure = 16 };  // of the grid

static const char *computation = "burn", *start_by = "barrier", *buffers = "rotating";
static struct word_list collectives = {1, {"iallreduce"}};
static struct number_list sizes = {1, {8}};
static double milliseconds = 100, iterations = 0, test_every = 0;

// How many runs of `one_ns` fit into a share of the time; the same on all ranks.
static long fitting(double share, double one_ns) {
  const double count = iterations > 0 ? iterations : share * milliseconds * 1e6 / one_ns;
  return count < 3 ? 3 : count > kMostRuns ? kMostRuns : (long)count;
}

// About, for planning.
static double taken_ns(double slice_ns, long slices) {
  const double shortest = computation_shortest_ns();
  return (double)slices * (slice_ns > shortest ? slice_ns : shortest);
}

// On the slowest rank. A moment's disturbance must not set the lengths of all that follows: the quickest of
// some.
static double agreed_pure_ns(struct collective* c, double expected_ns) {
  enum { kTries = 5 };
  double quickest = 0;
  for (int i = 0; i < kTries; ++i) {
    struct phases pure;
    run_in_turn(&(struct job){.c = c}, 1, fitting(0.1 / kTries, expected_ns), &pure);
    take_slowest(&pure);
    if (i == 0 || pure.ns[kTotal] < quickest) quickest = pure.ns[kTotal];
  }
  return quickest;
}

static long tests_of(const struct collective* c) {
  const double moved = (double)((c->in_blocks + c->out_blocks) * c->bytes);
  if (test_every <= 0 || moved <= 0 || !collective_can_be_tested(c)) return 0;
  return moved < test_every ? 1 : (long)(moved / test_every);
}

static void report_anatomy(struct collective* c, double pure_ns) {
  const long tests = tests_of(c);
  const struct job nothing = {0}, pure = {.c = c}, overlapped = {c, pure_ns, tests},
                   alone = {NULL, pure_ns, tests};
  const struct job jobs[] = {pure, overlapped, alone};
  struct phases found[3];
  const double computing_ns = taken_ns(pure_ns / (double)(tests + 1), tests + 1);
  run_in_turn(jobs, 3, fitting(0.25, 2 * pure_ns + 2 * computing_ns), found);
  take_slowest(&found[0]);
  const int slowest = take_slowest(&found[1]);
  take_slowest(&found[2]);
  const long cpu_runs = fitting(0.1, 2 * pure_ns + 2 * computing_ns);
  struct wakes woken, woken_by_pure;
  const double cpu_ns = cpu_beyond_ns(&overlapped, &alone, cpu_runs, &woken);
  const double pure_cpu_ns = cpu_beyond_ns(&pure, &nothing, cpu_runs, &woken_by_pure);
  record_count("tests", tests);
  record_number("pure_us", found[0].ns[kTotal] / 1e3);
  record_number("pure_start_us", found[0].ns[kStart] / 1e3);
  record_number("pure_wait_us", found[0].ns[kWait] / 1e3);
  record_number("start_us", found[1].ns[kStart] / 1e3);
  record_number("compute_us", found[1].ns[kCompute] / 1e3);
  record_number("test_us", found[1].ns[kTest] / 1e3);
  record_number("wait_us", found[1].ns[kWait] / 1e3);
  record_number("total_us", found[1].ns[kTotal] / 1e3);
  record_number("compute_alone_us", found[2].ns[kTotal] / 1e3);
  record_count("slowest_rank", slowest);
  record_number("cpu_us", cpu_ns / 1e3);
  record_number("pure_cpu_us", pure_cpu_ns / 1e3);
  record_number("agent_wakes", woken.agent);
  record_number("trigger_wakes", woken.trigger);
}

static void report_grid(struct collective* c, double pure_ns) {
  enum { kPoints = kPures + kSteps };
  struct job jobs[kPoints + kSteps];
  struct phases found[kPoints + kSteps];
  double work_us[kPoints] = {0}, total_us[kPoints];
  for (int j = 0; j < kPures; ++j) jobs[j] = (struct job){.c = c};
  for (int step = 1; step <= kSteps; ++step) {
    const double work_ns = pure_ns * step / kStepsOfPure;
    jobs[kPures + step - 1] = (struct job){.c = c, .work_ns = work_ns};
    jobs[kPoints + step - 1] = (struct job){.work_ns = work_ns};
  }
  run_in_turn(jobs, kPoints + kSteps, fitting(0.4, kPoints * pure_ns + 2 * kSteps * taken_ns(pure_ns, 1)),
              found);
  for (int j = 0; j < kPoints; ++j) total_us[j] = found[j].ns[kTotal] / 1e3;
  for (int j = kPures; j < kPoints; ++j) work_us[j] = found[j + kSteps].ns[kTotal] / 1e3;
  take_greatest(work_us, kPoints);
  take_greatest(total_us, kPoints);
  record_numbers("work_grid_us", work_us, kPoints);
  record_numbers("total_grid_us", total_us, kPoints);
}

static void report_polling(struct collective* c, double pure_ns) {
  const double slice_ns = pure_ns / kSlicesOfPure;
  static struct phases samples[kMostRuns];
  struct phases slices;
  const long count = fitting(0.1, pure_ns + 2 * taken_ns(slice_ns, kSlicesOfPure));
  run_in_turn(&(struct job){NULL, pure_ns, kSlicesOfPure - 1}, 1, count, &slices);
  take_slowest(&slices);
  const double slice_alone_ns = slices.ns[kCompute] / kSlicesOfPure;
  for (long i = 0; i < count; ++i) {
    line_up(i);
    samples[i] = poll_once(c, slice_ns, slice_alone_ns);
  }
  struct phases polled = typical_phases(samples, count);
  take_slowest(&polled);
  record_number("slice_us", slice_alone_ns / 1e3);
  record_number("polling_work_us", polled.ns[kCompute] / 1e3);
  record_number("polling_total_us", polled.ns[kTotal] / 1e3);
}

// Ranks may have begun different numbers of operations: all finish with as many as the busiest. (Nobody waits
// for what another has not begun: who has begun fewer waits for an operation that all have begun, and then
// follows.)
static void catch_up(struct collective* c, struct started* last, long begun) {
  long most;
  MPI_Allreduce(&begun, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  collective_wait(last);
  for (; begun < most; ++begun) collective_run(c, turn + begun);
  turn += most;
}

// A computation in slices; where `c` is not null, with operations under way all the time.
static double compute_in_slices(struct collective* c, double slice_ns, long slices) {
  struct started last;
  long begun = 0;
  leave_together(MPI_COMM_WORLD);
  const int64_t begin = ticks_now();
  if (c != NULL) collective_start(c, turn + begun++, &last);
  for (long i = 0; i < slices; ++i) {
    compute(slice_ns);
    if (c != NULL && collective_test(&last)) collective_start(c, turn + begun++, &last);
  }
  const double taken = ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
  if (c != NULL) catch_up(c, &last, begun);
  return taken;
}

static void report_availability(struct collective* c, double pure_ns) {
  enum { kRounds = 5, kMostOperations = 200 };
  const double slice_ns = pure_ns / kSlicesOfPure;
  double times[2][kRounds], found[2];
  long operations = fitting(0.05 / kRounds, taken_ns(slice_ns, kSlicesOfPure));
  if (operations > kMostOperations)
    operations = kMostOperations;  // a root runs ahead: the others keep its messages
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < 2; ++i)
      times[i][round] = compute_in_slices(i == 0 ? NULL : c, slice_ns, operations * kSlicesOfPure);
  for (int i = 0; i < 2; ++i) found[i] = typical(times[i], kRounds);
  take_greatest(found, 2);
  record_number("availability_alone_us", found[0] / 1e3);
  record_number("availability_under_way_us", found[1] / 1e3);
}

// An operation that is overlapped, as those that were timed.
static int is_right(struct collective* c, double pure_ns) {
  const long checked = turn;
  collective_refresh(c, checked);
  run_once(&(struct job){c, pure_ns, tests_of(c)});
  return collective_result_is_right(c, checked);
}

static int measure(const char* name, size_t bytes) {
  struct collective c = collective_make(name, bytes, buffers_of(buffers), kPredefined, MPI_COMM_WORLD);
  double expected_ns;
  iterations_for(&c, milliseconds / 2, (long)iterations, &expected_ns);
  const double pure_ns = agreed_pure_ns(&c, expected_ns);
  record_begin("overlap");
  record_text("collective", name);
  record_count("bytes", (long)c.bytes);
  record_text("compute", computation);
  record_count("test_every", (long)test_every);
  record_text("start", start_by);
  record_text("reduced_by", runs_are_synchronised() ? "median" : "mean");
  record_text("buffers", buffers);
  report_anatomy(&c, pure_ns);
  report_grid(&c, pure_ns);
  if (collective_can_be_tested(&c)) {
    report_polling(&c, pure_ns);
    report_availability(&c, pure_ns);
  }
  const int right = is_right(&c, pure_ns);
  record_truth("right", right);
  record_end();
  collective_free(&c);
  return right;
}

static enum start start_named(const char* name) {
  if (strcmp(name, "barrier") == 0) return kBarrier;
  return strcmp(name, "window") == 0 ? kAgreedTime : kBackToBack;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct argument table[] = {{.name = "collectives", .words = &collectives},
                                   {.name = "bytes", .numbers = &sizes},
                                   {.name = "compute", .word = &computation},
                                   {.name = "test-every", .number = &test_every},
                                   {.name = "start", .word = &start_by},
                                   {.name = "buffers", .word = &buffers},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {.name = "iterations", .number = &iterations},
                                   {0}};
  arguments_parse(argc, argv, table);
  collectives_require(&collectives);
  ticks_calibrate();
  runs_start(start_named(start_by));
  computation_choose(computation);
  const int right = collectives_measure(&collectives, &sizes, measure);
  MPI_Finalize();
  return right ? 0 : 1;
}
