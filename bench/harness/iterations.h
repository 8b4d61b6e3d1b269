// SPDX-License-Identifier: BSD-3-Clause
// How many operations fit into a time: the same number on all ranks.
#ifndef WEFT_BENCH_ITERATIONS_H
#define WEFT_BENCH_ITERATIONS_H

#include "collective.h"

// Warms up, and estimates what one operation takes back to back on the slowest rank (`*expected_ns`).
// Collective. `wanted` > 0 is the answer; else as many as fit into `milliseconds`, at least 4 and at most
// 100,000.
long iterations_for(struct collective* c, double milliseconds, long wanted, double* expected_ns);

#endif
