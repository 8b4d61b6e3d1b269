// SPDX-License-Identifier: BSD-3-Clause
#include "iterations.h"

#include "ticks.h"

long iterations_for(struct collective* c, double milliseconds, long wanted, double* expected_ns) {
  const double warm_up_ns = 1e5 * milliseconds;  // a tenth
  double total_ns = 0;
  long done = 0;
  // Batches that double until they have taken a tenth of the time; every buffer is touched at least once. The
  // first call tells nothing of the others: it makes plans, and touches memory for the first time.
  for (long batch = 1; total_ns < warm_up_ns || (done < c->buffers && total_ns < 10 * warm_up_ns);
       batch = done > 1 ? 2 * batch : 1) {
    const int64_t begin = ticks_now();
    for (long i = 0; i < batch; ++i) collective_run(c, done + i);
    double batch_ns = ticks_to_ns(ticks_now() - begin);
    MPI_Allreduce(MPI_IN_PLACE, &batch_ns, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *expected_ns = batch_ns / (double)batch;
    if (done > 0) total_ns += batch_ns;
    done += batch;
    if (wanted > 0 && done >= wanted) break;
  }
  if (wanted > 0) return wanted;
  const double fitting = 1e6 * milliseconds / *expected_ns;
  return fitting < 4 ? 4 : fitting > 100000 ? 100000 : (long)fitting;
}
