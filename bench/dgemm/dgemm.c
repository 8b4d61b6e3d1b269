// SPDX-License-Identifier: BSD-3-Clause
// What a collective under way takes from a matrix product: a plain MPI program, the same binary with and
// without Weft.
//
//   dgemm --sizes 10,100,1000 --collectives iallreduce --bytes 8
//
// Two things take turns, each after a barrier of point-to-point messages that is the same under every MPI:
//   the peak      cblas_dgemm alone
//   overlapped    start of the collective, cblas_dgemm, wait
// The throughput is 2 n³ operations over the time of the slowest rank, one thread per rank; the
// communication's overhead is the time in start and in wait, mean over ranks; medians over the iterations.
// How far the ranks' own products differ is reported beside it: who is done first waits for the others,
// whatever the MPI does. (Kandalla et al., Designing Non-blocking Allreduce with Collective Offload, 2012:
// section VI D and figure 9.)
#include <cblas.h>
#include <math.h>
#include <mpi.h>

#include "dgemm/matrices.h"
#include "harness/arguments.h"
#include "harness/collective.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kMostIterations = 10000, kWarmOrder = 200, kWarmRuns = 3 };

// Nanoseconds of this rank, per iteration.
static double alone[kMostIterations], start[kMostIterations], product[kMostIterations], wait[kMostIterations],
    total[kMostIterations];
// Over all ranks, per iteration: the time of the fastest, of the slowest, and a figure made of all (maximum,
// mean or difference).
static double fastest[kMostIterations], slowest[kMostIterations], combined[kMostIterations];

static struct word_list collectives = {1, {"iallreduce"}};
static struct number_list sizes = {6, {10, 30, 100, 300, 1000, 3000}}, bytes = {1, {8}};
static double milliseconds = 500, wanted_iterations = 0;

static double interval_ns(int64_t from, int64_t to) { return ticks_to_ns(to - from) - ticks_cost_ns(); }

static void iterate(const struct matrices* m, struct collective* c, long i) {
  struct started started;
  leave_together(MPI_COMM_WORLD);
  int64_t begin = ticks_now();
  matrices_multiply(m, m->order);
  alone[i] = interval_ns(begin, ticks_now());
  leave_together(MPI_COMM_WORLD);
  begin = ticks_now();
  collective_start(c, 0, &started);
  const int64_t computing = ticks_now();
  matrices_multiply(m, m->order);
  const int64_t waiting = ticks_now();
  collective_wait(&started);
  const int64_t end = ticks_now();
  start[i] = interval_ns(begin, computing);
  product[i] = interval_ns(computing, waiting);
  wait[i] = interval_ns(waiting, end);
  total[i] = interval_ns(begin, end);
}

// What the first calls have to set up costs a small product, not one of seconds.
static void warm_up(const struct matrices* m, struct collective* c) {
  for (int i = 0; i < kWarmRuns; ++i) {
    matrices_multiply(m, m->order < kWarmOrder ? m->order : kWarmOrder);
    collective_run(c, 0);
  }
}

// As many iterations as fit into the time, the same number on all ranks: batches that at most double, and of
// which none begins that would not end in time. At least one. What has to be computed is forgotten before
// each batch.
static long iterate_for(struct matrices* m, struct collective* c) {
  const double budget_ns = wanted_iterations > 0 ? 0 : 1e6 * milliseconds;
  double spent_ns = 0;
  long done = 0, batch = wanted_iterations > 0 ? (long)fmin(wanted_iterations, kMostIterations) : 1;
  while (batch > 0) {
    matrices_forget(m);
    collective_refresh(c, 0);
    const int64_t begin = ticks_now();
    for (long i = 0; i < batch; ++i) iterate(m, c, done++);
    double batch_ns = ticks_to_ns(ticks_now() - begin);
    MPI_Allreduce(MPI_IN_PLACE, &batch_ns, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    spent_ns += batch_ns;
    const double fitting = (budget_ns - spent_ns) / (spent_ns / (double)done);
    batch = fitting < (double)done ? (long)fitting : done;
    if (batch > kMostIterations - done) batch = kMostIterations - done;
  }
  return done;
}

// Median over iterations of the ranks' maximum, or of their mean.
static double of_slowest(const double* mine, long iterations) {
  MPI_Allreduce(mine, slowest, (int)iterations, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return summarize(slowest, iterations).median;
}

static double of_mean(const double* mine, long iterations) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(mine, combined, (int)iterations, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return summarize(combined, iterations).median / ranks;
}

// The products of one iteration on the fastest and on the slowest rank, and what lies between.
static void record_spread_over_ranks(long iterations) {
  MPI_Allreduce(product, fastest, (int)iterations, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(product, slowest, (int)iterations, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (long i = 0; i < iterations; ++i) combined[i] = slowest[i] - fastest[i];
  record_number("dgemm_fastest_microseconds", summarize(fastest, iterations).median / 1e3);
  record_number("dgemm_slowest_microseconds", summarize(slowest, iterations).median / 1e3);
  record_number("dgemm_spread_microseconds", summarize(combined, iterations).median / 1e3);
}

static struct matrices factors;  // of the products now measured

static int measure(const char* name, size_t block) {
  struct matrices* const m = &factors;
  struct collective c = collective_make(name, block, kHot, kPredefined, MPI_COMM_WORLD);
  warm_up(m, &c);
  const long iterations = iterate_for(m, &c);
  int product_right = matrices_product_is_right(m);
  MPI_Allreduce(MPI_IN_PLACE, &product_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const int result_right = collective_result_is_right(&c, 0);
  const double operations = 2.0 * m->order * m->order * m->order;
  const double total_ns = of_slowest(total, iterations), alone_ns = of_slowest(alone, iterations);
  const double start_ns = of_mean(start, iterations), wait_ns = of_mean(wait, iterations);
  record_begin("dgemm");
  record_text("collective", name);
  record_count("bytes", (long)c.bytes);
  record_count("matrix", m->order);
  record_count("iterations", iterations);
  record_number("gflops", operations / total_ns);
  record_number("peak_gflops", operations / alone_ns);
  record_number("microseconds", total_ns / 1e3);
  record_number("start_microseconds", start_ns / 1e3);
  record_number("wait_microseconds", wait_ns / 1e3);
  record_number("overhead_microseconds", (start_ns + wait_ns) / 1e3);
  record_spread_over_ranks(iterations);
  record_text("blas", openblas_get_config());
  record_truth("product_right", product_right);
  record_truth("result_right", result_right);
  record_truth("right", product_right && result_right);
  record_end();
  collective_free(&c);
  return product_right && result_right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct argument table[] = {{.name = "sizes", .numbers = &sizes},
                                   {.name = "collectives", .words = &collectives},
                                   {.name = "bytes", .numbers = &bytes},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {.name = "iterations", .number = &wanted_iterations},
                                   {0}};
  arguments_parse(argc, argv, table);
  collectives_require(&collectives);
  openblas_set_num_threads(1);
  ticks_calibrate();
  int me, right = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int n = 0; n < sizes.count; ++n) {
    factors = matrices_make((int)sizes.numbers[n], me);
    right &= collectives_measure(&collectives, &bytes, measure);
    matrices_free(&factors);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
