// SPDX-License-Identifier: BSD-3-Clause
// Ticks: one fine clock whose rate all ranks share.
//
// The time stamp counter where it is invariant (its rate is constant and it never stops), else
// CLOCK_MONOTONIC. Rank 0 calibrates and tells the others: ranks that calibrated for themselves would drift
// apart by microseconds within a quarter of a second. The cost of reading the clock is measured, and is the
// caller's to subtract.
#ifndef WEFT_BENCH_TICKS_H
#define WEFT_BENCH_TICKS_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

extern int ticks_are_tsc;

// Collective over MPI_COMM_WORLD, about 0.1 s; before anything else here.
void ticks_calibrate(void);

double ticks_to_ns(int64_t ticks);
int64_t ticks_from_ns(double ns);
double ticks_cost_ns(void);      // of one reading: what an empty interval measures
void sleep_for_ns(double ns);    // as exactly as the kernel can
const char* ticks_source(void);  // "tsc 2.445 GHz" or "CLOCK_MONOTONIC"

static inline int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t ticks_now(void) {
#if defined(__x86_64__)
  if (ticks_are_tsc) {
    // The fences keep what was timed before the reading, and what follows behind it.
    _mm_lfence();
    const int64_t now = (int64_t)__rdtsc();
    _mm_lfence();
    return now;
  }
#endif
  return monotonic_ns();
}

#endif
