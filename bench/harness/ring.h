// SPDX-License-Identifier: BSD-3-Clause
// What is no collective, in the dress of one: each rank has something for its right, in a ring.
#ifndef WEFT_BENCH_RING_H
#define WEFT_BENCH_RING_H

#include "collective.h"

int right_of(const struct collective* c);
int left_of(const struct collective* c);

void run_sendrecv(const struct collective* c, int buffer);
void start_isend(const struct collective* c, int buffer, MPI_Request* requests);

// One epoch, by post, start, complete and wait.
void run_put(const struct collective* c, int buffer);
void start_put(const struct collective* c, int buffer, MPI_Request* no_requests);
// The first test completes the access, which may take a while.
int test_put(struct started* started);
void wait_for_put(struct started* started);

#endif
