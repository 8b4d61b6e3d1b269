// SPDX-License-Identifier: BSD-3-Clause
// Computation of a given length, in two kinds.
//
//   burn   a loop of dependent arithmetic, calibrated once: the same work takes the same number of steps,
//          however long it takes under the circumstances, and no clock is read while it runs.
//   sleep  time away from MPI without a core (clock_nanosleep): stands for a core of the rank's own where
//          ranks outnumber cores. It cannot be shorter than the kernel takes to wake a process, tens of
//          microseconds.
#ifndef WEFT_BENCH_COMPUTATION_H
#define WEFT_BENCH_COMPUTATION_H

// `kind` is "burn" or "sleep". Collective over MPI_COMM_WORLD, some
// milliseconds: the ranks agree on the length of a step. After ticks_calibrate.
void computation_choose(const char* kind);

// Computes for so long; returns at once for lengths up to zero.
void compute(double ns);

// What `compute` cannot be shorter than, about; 0 for burn.
double computation_shortest_ns(void);

// CPU time of all threads of this process. Reading it is a system call: up to a microsecond.
double cpu_time_ns(void);

#endif
