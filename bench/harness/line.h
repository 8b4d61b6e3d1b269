// SPDX-License-Identifier: BSD-3-Clause
// How far two cores are from each other at the moment. Virtual machines change that by themselves, within
// seconds, and with it the time of whatever two ranks do together.
#ifndef WEFT_BENCH_LINE_H
#define WEFT_BENCH_LINE_H

// Nanoseconds that a cache line takes from rank 0's core to rank 1's or back, by the fastest of some batches
// of round trips; NaN on other ranks, and where the two share no memory or did not run at the same time.
// Collective over MPI_COMM_WORLD, and takes a tenth of a millisecond; the other ranks sleep meanwhile, lest
// they take the two cores.
double line_ns(void);

void line_end(void);  // before MPI_Finalize, if line_ns was called

#endif
