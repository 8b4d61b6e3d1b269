// SPDX-License-Identifier: BSD-3-Clause
// What noise makes of a collective: a fixed amount of work with a collective under it, over and over. A plain
// MPI program, the same binary with and without Weft; the noise itself comes from noise_injector.
//
//   noise --collectives iallreduce --bytes 8 --products 100
//
// The work between start and wait (before a blocking form) is a number of small matrix products and not a
// time: a rank that waited for a time to pass would not notice that it was stolen. Without products the
// collective runs back to back. The time is the mean over the operations of a loop, of the slowest rank:
// noise is rare, and a median would not see it. How many operations fit into the time is estimated with the
// noise on. A second loop has the work alone: noise harms a collective by what it adds beyond that.
#include <mpi.h>

#include "harness/arguments.h"
#include "harness/collective.h"
#include "harness/iterations.h"
#include "harness/record.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"
#include "noise/small_product.h"

static struct word_list collectives = {1, {"iallreduce"}};
static struct number_list bytes = {1, {8}};
static double milliseconds = 500, products = 0;

static struct small_product product;

static void work(void) {
  for (long i = 0; i < (long)products; ++i) small_product_compute(&product);
}

static void operate(struct collective* c, long turn) {
  struct started started;
  if (c->form == kBlocking) {
    work();
    collective_run(c, turn);
    return;
  }
  collective_start(c, turn, &started);
  work();
  collective_wait(&started);
}

// What the work takes where nothing disturbs it: the least of some, on the slowest rank.
static double work_ns(void) {
  enum { kTries = 20 };
  double least = 1e18;
  for (int i = 0; i < kTries; ++i) {
    const int64_t begin = ticks_now();
    work();
    const double taken = ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
    if (taken < least) least = taken;
  }
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return least;
}

// Without a collective: of the work alone.
static double loop_ns(struct collective* c, long operations) {
  leave_together(MPI_COMM_WORLD);
  const int64_t begin = ticks_now();
  for (long i = 0; i < operations; ++i) {
    if (c != NULL) operate(c, i);
    else work();
  }
  double taken = ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

static int measure(const char* name, size_t block) {
  struct collective c = collective_make(name, block, kRotating, kPredefined, MPI_COMM_WORLD);
  double collective_ns;
  iterations_for(&c, milliseconds, 0, &collective_ns);
  const double of_work_ns = work_ns(), fitting = 1e6 * milliseconds / (collective_ns + of_work_ns);
  const long operations = fitting < 4 ? 4 : (long)fitting;
  const double taken = loop_ns(&c, operations);
  const double alone = products < 1 ? 0 : loop_ns(NULL, operations);
  const int right = collective_is_right(&c) && (products < 1 || small_product_is_right(&product));
  record_begin("noise");
  record_text("collective", name);
  record_count("bytes", (long)c.bytes);
  record_count("products", (long)products);
  record_number("work_microseconds", of_work_ns / 1e3);
  record_count("operations", operations);
  record_number("seconds", taken / 1e9);
  record_number("microseconds", taken / 1e3 / (double)operations);
  record_number("alone_microseconds", alone / 1e3 / (double)operations);
  record_truth("right", right);
  record_end();
  collective_free(&c);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct argument table[] = {{.name = "collectives", .words = &collectives},
                                   {.name = "bytes", .numbers = &bytes},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {.name = "products", .number = &products},
                                   {0}};
  arguments_parse(argc, argv, table);
  collectives_require(&collectives);
  ticks_calibrate();
  product = small_product_make();
  const int right = collectives_measure(&collectives, &bytes, measure);
  MPI_Finalize();
  return right ? 0 : 1;
}
