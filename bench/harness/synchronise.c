// SPDX-License-Identifier: BSD-3-Clause
#include "synchronise.h"

#include <mpi.h>

#include "ticks.h"

enum { kTag = 77, kRoundTrips = 200 };

// Between agreeing and leaving: until all know, and what they have said has been forgotten. Then how long
// before the time a sleep ends, so that it does not end late; and what is late.
enum { kMargin = 500000, kAwake = 10000, kLate = 20000 };  // ns

void leave_together(MPI_Comm comm) {
  int me, ranks;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  for (int distance = 1; distance < ranks; distance *= 2)
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (me + distance) % ranks, kTag, NULL, 0, MPI_BYTE,
                 (me + ranks - distance) % ranks, kTag, comm, MPI_STATUS_IGNORE);
}

// The other side of measure_offset.
static void answer_with_time(void) {
  for (int i = 0; i < kRoundTrips; ++i) {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int64_t now = ticks_now();
    MPI_Send(&now, 1, MPI_INT64_T, 0, kTag, MPI_COMM_WORLD);
  }
}

// How far the clock of `rank` is ahead of this one, by the round trip that was shortest.
static int64_t measure_offset(int rank, int64_t* shortest) {
  int64_t offset = 0;
  *shortest = INT64_MAX;
  for (int i = 0; i < kRoundTrips; ++i) {
    int64_t theirs;
    const int64_t sent = ticks_now();
    MPI_Send(NULL, 0, MPI_BYTE, rank, kTag, MPI_COMM_WORLD);
    MPI_Recv(&theirs, 1, MPI_INT64_T, rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int64_t round_trip = ticks_now() - sent;
    if (round_trip >= *shortest) continue;
    *shortest = round_trip;
    offset = theirs - (sent + round_trip / 2);
  }
  return offset;
}

struct windows windows_open(double length_ns) {
  struct windows windows = {.length = ticks_from_ns(length_ns)};
  int me, ranks;
  int64_t worst = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int r = 1; r < ranks; ++r) {
    if (me == 0) {
      int64_t round_trip, offset = measure_offset(r, &round_trip);
      MPI_Send(&offset, 1, MPI_INT64_T, r, kTag, MPI_COMM_WORLD);
      if (round_trip > worst) worst = round_trip;
    } else if (me == r) {
      answer_with_time();
      MPI_Recv(&windows.offset, 1, MPI_INT64_T, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  int64_t agreed[2] = {ticks_now() + ticks_from_ns(1e6), worst};
  MPI_Bcast(agreed, 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
  windows.first = agreed[0];
  windows.uncertainty_ns = ticks_to_ns(agreed[1]) / 2;
  return windows;
}

int64_t window_wait(const struct windows* windows, long i, int* late) {
  const int64_t start = windows->first + windows->length * i + windows->offset;
  int64_t now = ticks_now();
  *late = now > start;
  while (now < start) now = ticks_now();
  return *late ? now : start;
}

int leave_at_agreed_time(const struct windows* windows, MPI_Comm comm) {
  const int64_t mine = ticks_now() - windows->offset;
  int64_t latest;
  MPI_Allreduce(&mine, &latest, 1, MPI_INT64_T, MPI_MAX, comm);
  const int64_t start = latest + windows->offset + ticks_from_ns(kMargin);
  const double asleep_ns = ticks_to_ns(start - ticks_now()) - kAwake;
  if (asleep_ns > 0) sleep_for_ns(asleep_ns);
  while (ticks_now() < start) {}
  return ticks_to_ns(ticks_now() - start) > kLate;
}
