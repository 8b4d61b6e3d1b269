// SPDX-License-Identifier: BSD-3-Clause
#include "line.h"

#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

#include "ticks.h"

enum { kBatches = 12, kRoundTrips = 16, kPage = 4096 };
enum { kApart = 128 };                               // adjacent lines are fetched in pairs
enum { kPatience = 500000, kOthersSleep = 500000 };  // ns; whoever answers waits longer than whoever asks
enum { kSpins = 64 };                                // between two looks at the clock

// The numbers of one measurement follow one another; its last says that it is over.
enum { kNumberBits = 20 };
static const int64_t kOver = (1 << kNumberBits) - 1;

static MPI_Comm near = MPI_COMM_NULL;  // ranks 0 and 1, if they share memory
static MPI_Win window = MPI_WIN_NULL;
static _Atomic int64_t *asked, *answered;  // lines that ranks 0 and 1 write

static int me_in_world(void) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  return me;
}

static void open_lines(void) {
  MPI_Comm two;
  int ranks, unit;
  MPI_Comm_split(MPI_COMM_WORLD, me_in_world() < 2 ? 0 : MPI_UNDEFINED, 0, &two);
  if (two == MPI_COMM_NULL) return;
  MPI_Comm_split_type(two, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  MPI_Comm_free(&two);
  MPI_Comm_size(near, &ranks);
  if (ranks < 2) {
    MPI_Comm_free(&near);
    return;
  }
  char* memory;
  MPI_Aint size;
  MPI_Win_allocate_shared(me_in_world() == 0 ? kPage : 0, 1, MPI_INFO_NULL, near, &memory, &window);
  MPI_Win_shared_query(window, 0, &size, &unit, &memory);
  asked = (_Atomic int64_t*)memory;
  answered = (_Atomic int64_t*)(memory + kApart);
  if (me_in_world() > 0) return;
  atomic_store(asked, 0);
  atomic_store(answered, 0);
}

// Rank 0's side. Gives up where rank 1 has no core for so long.
static double ask(int64_t first) {
  const int64_t give_up = ticks_now() + ticks_from_ns(kPatience);
  int64_t number = first, shortest = INT64_MAX;
  for (int batch = 0; batch < kBatches; ++batch) {
    const int64_t begin = ticks_now();
    for (int i = 0; i < kRoundTrips; ++i) {
      atomic_store_explicit(asked, ++number, memory_order_release);
      for (int spins = 1; atomic_load_explicit(answered, memory_order_acquire) != number; ++spins)
        if (spins % kSpins == 0 && ticks_now() > give_up) goto over;
    }
    const int64_t taken = ticks_now() - begin;
    if (taken < shortest) shortest = taken;
  }
over:
  atomic_store_explicit(asked, first + kOver, memory_order_release);
  return shortest == INT64_MAX ? NAN : ticks_to_ns(shortest) / (2 * kRoundTrips);
}

// Rank 1's side.
static void answer(int64_t first) {
  const int64_t give_up = ticks_now() + ticks_from_ns(10.0 * kPatience);
  int64_t last = first;
  for (int spins = 1; spins % kSpins != 0 || ticks_now() < give_up; ++spins) {
    const int64_t number = atomic_load_explicit(asked, memory_order_acquire);
    if (number >= first + kOver) return;
    if (number > last) atomic_store_explicit(answered, last = number, memory_order_release);
  }
}

double line_ns(void) {
  static int64_t measurements = 0;
  static int ranks = 0;
  if (measurements++ == 0) {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 1) open_lines();
    MPI_Barrier(MPI_COMM_WORLD);  // the others sleep when the two measure, not when they have begun to
  }
  if (near == MPI_COMM_NULL) {
    if (me_in_world() > 1) sleep_for_ns(kOthersSleep);
    return NAN;
  }
  const int64_t first = measurements << kNumberBits;
  MPI_Barrier(near);
  if (me_in_world() == 0) return ask(first);
  answer(first);
  return NAN;
}

void line_end(void) {
  if (near == MPI_COMM_NULL) return;
  MPI_Win_free(&window);
  MPI_Comm_free(&near);
}
