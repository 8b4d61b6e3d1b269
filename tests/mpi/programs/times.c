// SPDX-License-Identifier: BSD-3-Clause
// What the library says about times, on two ranks: rank 0 prints it as one JSON object.
//
//   counts   20 allreduce operations, then the same after the times were forgotten
//   late     rank 1 starts an allreduce when rank 0 has long been waiting; a bcast, whose root waits for
//   nobody refused  the answers to questions that cannot be answered setting  whether times are taken without
//   being asked for
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#include "../../../include/weft/weft.h"
#include "check.h"

enum { kCalls = 20, kLateNs = 20000000 };
static int (*take)(int);
static int (*told)(struct weft_times*);

static struct weft_times taken(void) {
  struct weft_times times;
  CHECK(told(&times) == WEFT_SUCCESS, "times are taken");
  return times;
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void add_up(int calls) {
  double in[64] = {1}, out[64];
  for (int i = 0; i < calls; ++i) {
    MPI_Request request;
    MPI_Iallreduce(in, out, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(out[0] == 2, "the sum is %g", out[0]);
  }
}

static void show(const char* name, const struct weft_times* t, double passed_ns) {
  const struct weft_part* parts[] = {&t->planning, &t->copies,  &t->reductions,
                                     &t->posting,  &t->testing, &t->rest};
  static const char* const names[] = {"planning", "copies", "reductions", "posting", "testing", "rest"};
  if (world_rank != 0) return;
  printf("\"%s\": {\"operations\": %d, \"until\": %g, \"after\": %g, \"passed\": %g", name,
         (int)t->operations, t->until_first_data_ns, t->after_first_data_ns, passed_ns);
  for (int i = 0; i < 6; ++i)
    printf(", \"%s\": {\"count\": %d, \"ns\": %g}", names[i], (int)parts[i]->count, parts[i]->ns);
  printf("}, ");
}

static void counts(void) {
  add_up(1);
  const double begin = now_ns();
  take(WEFT_TIMES_OPERATIONS | WEFT_TIMES_PARTS);
  add_up(kCalls);
  const struct weft_times first = taken();
  show("first", &first, now_ns() - begin);
  take(WEFT_TIMES_OPERATIONS | WEFT_TIMES_PARTS | WEFT_TIMES_ON_CORE);
  add_up(kCalls);
  const struct weft_times second = taken();
  show("second", &second, now_ns() - begin);
}

static void late(void) {
  double in = 1, out;
  int token = 0;
  MPI_Request request;
  take(WEFT_TIMES_OPERATIONS);
  if (world_rank == 0) {
    MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    PMPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    const struct timespec a_while = {.tv_nsec = kLateNs};
    PMPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nanosleep(&a_while, NULL);
    MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const struct weft_times waiting = taken();
  show("late", &waiting, 0);
  take(WEFT_TIMES_OPERATIONS);
  MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const struct weft_times root = taken();
  show("root", &root, 0);
}

static void refused(void) {
  struct weft_times times;
  CHECK(told(&times) == WEFT_ERROR_NO_TIMES, "nobody asked for times");
  CHECK(take(WEFT_TIMES_ON_CORE) == WEFT_ERROR_ARGUMENT, "of what?");
  CHECK(take(8) == WEFT_ERROR_ARGUMENT, "there is no such thing");
  CHECK(told(NULL) == WEFT_ERROR_ARGUMENT, "where to?");
  CHECK(take(WEFT_TIMES_PARTS) == WEFT_SUCCESS && told(&times) == WEFT_SUCCESS, "now somebody did");
  CHECK(take(0) == WEFT_SUCCESS && told(&times) == WEFT_ERROR_NO_TIMES, "nobody does any more");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  take = (int (*)(int))dlsym(RTLD_DEFAULT, "weft_take_times");
  told = (int (*)(struct weft_times*))dlsym(RTLD_DEFAULT, "weft_times");
  CHECK(take != NULL && told != NULL, "the library exports what weft.h declares");
  const char* what = argc > 1 ? argv[1] : "counts";
  if (world_rank == 0) printf("{");
  if (strcmp(what, "counts") == 0) counts();
  if (strcmp(what, "late") == 0) late();
  if (strcmp(what, "refused") == 0) refused();
  if (strcmp(what, "setting") == 0) add_up(kCalls), taken();
  return end("\"late_ns\": %d}", kLateNs);
}
