// SPDX-License-Identifier: BSD-3-Clause
#include "ring.h"

#include <stddef.h>

int right_of(const struct collective* c) { return (c->me + 1) % c->ranks; }
int left_of(const struct collective* c) { return (c->me + c->ranks - 1) % c->ranks; }

void run_sendrecv(const struct collective* c, int buffer) {
  MPI_Sendrecv(c->in[buffer], c->count, c->type, right_of(c), 0, c->out[buffer], c->count, c->type,
               left_of(c), 0, c->comm, MPI_STATUS_IGNORE);
}

void start_isend(const struct collective* c, int buffer, MPI_Request* requests) {
  MPI_Irecv(c->out[buffer], c->count, c->type, left_of(c), 0, c->comm, &requests[0]);
  MPI_Isend(c->in[buffer], c->count, c->type, right_of(c), 0, c->comm, &requests[1]);
}

void start_put(const struct collective* c, int buffer, MPI_Request* no_requests) {
  (void)no_requests;
  MPI_Win_post(c->left, 0, c->windows[buffer]);
  MPI_Win_start(c->right, 0, c->windows[buffer]);
  MPI_Put(c->in[buffer], c->count, c->type, right_of(c), 0, c->count, c->type, c->windows[buffer]);
}

void run_put(const struct collective* c, int buffer) {
  start_put(c, buffer, NULL);
  MPI_Win_complete(c->windows[buffer]);
  MPI_Win_wait(c->windows[buffer]);
}

int test_put(struct started* started) {
  int is_over = 0;
  if (!started->has_completed) MPI_Win_complete(started->window);
  started->has_completed = 1;
  MPI_Win_test(started->window, &is_over);
  if (is_over) started->window = MPI_WIN_NULL;  // nothing is left to wait for
  return is_over;
}

void wait_for_put(struct started* started) {
  if (!started->has_completed) MPI_Win_complete(started->window);
  MPI_Win_wait(started->window);
}
