// SPDX-License-Identifier: BSD-3-Clause
// Who allocates memory while collectives run. Every allocation of the process comes through the functions
// below, which look at the address they return to: inside libweft.so, or elsewhere. Rank 0 prints, as one
// JSON object, for each collective the allocations made from the second call of its shape on, by Weft and by
// all others; for a non-blocking one also those of as many bare generalised requests.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "check.h"

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static volatile int counting;
static long by_weft, by_others;

static void count(void* caller) {
  if (!counting) return;
  Dl_info info;
  counting = 0;
  const int known = dladdr(caller, &info) != 0 && info.dli_fname != NULL;
  if (known && strstr(info.dli_fname, "libweft.so")) ++by_weft;
  else ++by_others;
  counting = 1;
}

void* malloc(size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(size_t items, size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(items, size);
}
void* realloc(void* old, size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? 12 : 0;
}

enum { kCalls = 200, kMostWords = 16384 };
static double in[kMostWords * 8], out[kMostWords * 8];

static const char* const names[] = {"Barrier", "Bcast", "Reduce", "Allreduce", "Allgather", "Alltoall"};

static void call(int kind, int nonblocking, int words) {
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (kind + 6 * nonblocking) {
    case 0: MPI_Barrier(world); break;
    case 1: MPI_Bcast(out, words, MPI_DOUBLE, 0, world); break;
    case 2: MPI_Reduce(out, in, words, MPI_DOUBLE, MPI_SUM, 0, world); break;
    case 3: MPI_Allreduce(out, in, words, MPI_DOUBLE, MPI_SUM, world); break;
    case 4: MPI_Allgather(out, words, MPI_DOUBLE, in, words, MPI_DOUBLE, world); break;
    case 5: MPI_Alltoall(out, words, MPI_DOUBLE, in, words, MPI_DOUBLE, world); break;
    case 6: MPI_Ibarrier(world, &request); break;
    case 7: MPI_Ibcast(out, words, MPI_DOUBLE, 0, world, &request); break;
    case 8: MPI_Ireduce(out, in, words, MPI_DOUBLE, MPI_SUM, 0, world, &request); break;
    case 9: MPI_Iallreduce(out, in, words, MPI_DOUBLE, MPI_SUM, world, &request); break;
    case 10: MPI_Iallgather(out, words, MPI_DOUBLE, in, words, MPI_DOUBLE, world, &request); break;
    default: MPI_Ialltoall(out, words, MPI_DOUBLE, in, words, MPI_DOUBLE, world, &request); break;
  }
  if (nonblocking) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int nothing(void* state) { return (void)state, MPI_SUCCESS; }
static int no_cancel(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

static long bare_requests(int calls) {
  by_others = 0;
  counting = 1;
  for (int i = 0; i < calls; ++i) {
    MPI_Request request;
    PMPI_Grequest_start(query, nothing, no_cancel, NULL, &request);
    PMPI_Grequest_complete(request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  counting = 0;
  return by_others;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static const int words[] = {1, 100, kMostWords};
  for (int w = 0; w < 3; ++w)  // the host's own pools fill up, with other shapes than those that are counted
    for (int kind = 0; kind < 12; ++kind)
      for (int i = 0; i < 60; ++i) call(kind % 6, kind / 6, words[w] + 2);
  bare_requests(kCalls);
  const long requests = bare_requests(kCalls);
  if (world_rank == 0) printf("{\"calls\": %d, \"bare_requests\": %ld, \"functions\": [", kCalls, requests);
  for (int w = 0; w < 3; ++w)
    for (int kind = 0; kind < 12; ++kind) {
#ifndef FIRST_CALLS  // else it is counted: that the counter works is tested so
      call(kind % 6, kind / 6, words[w]);
#endif
      by_weft = by_others = 0;
      counting = 1;
      for (int i = 0; i < kCalls; ++i) call(kind % 6, kind / 6, words[w]);
      counting = 0;
      long mine[2] = {by_weft, by_others}, all[2];
      MPI_Reduce(mine, all, 2, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
      if (world_rank == 0)
        printf(
            "%s{\"name\": \"MPI_%s%c%s\", \"nonblocking\": %d, \"words\": %d, \"weft\": %ld, \"others\": "
            "%ld}",
            w + kind ? ",\n" : "\n", kind < 6 ? "" : "I", names[kind % 6][0] + (kind < 6 ? 0 : 32),
            names[kind % 6] + 1, kind / 6, words[w], all[0], all[1]);
    }
  return end("]}");
}
