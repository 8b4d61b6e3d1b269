// SPDX-License-Identifier: BSD-3-Clause
// Starting an operation on all ranks at one time, in two ways (NBCBench, section 4; SKaMPI's windows).
//
// A rank that has to be scheduled first starts when it is: where ranks outnumber cores, only those that sleep
// until an agreed time start together.
#ifndef WEFT_BENCH_SYNCHRONISE_H
#define WEFT_BENCH_SYNCHRONISE_H

#include <mpi.h>
#include <stdint.h>

// A dissemination barrier of point-to-point messages: all leave within one message's latency of each other.
// It is the same code under every MPI, and no collective of the library under test.
void leave_together(MPI_Comm comm);

// Windows: operation i starts at an agreed time on all clocks, and a rank that comes late says so.
struct windows {
  int64_t first, length;  // ticks of rank 0's clock
  int64_t offset;         // of this rank's clock against rank 0's
  double uncertainty_ns;  // of that offset: half the round trip that it was measured with, the worst rank's
};

// Collective over MPI_COMM_WORLD.
struct windows windows_open(double length_ns);

// When window `i` starts, on this rank's clock. Returns then; `*late` is set if that was too late.
int64_t window_wait(const struct windows* windows, long i, int* late);

// All leave at a time that they agree on now, and sleep until then: for networks where a message takes long.
// `windows` tell the clocks apart. Whether this rank left too late.
int leave_at_agreed_time(const struct windows* windows, MPI_Comm comm);

#endif
