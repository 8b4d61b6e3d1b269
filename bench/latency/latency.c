// SPDX-License-Identifier: BSD-3-Clause
// How long one collective takes: a plain MPI program, the same binary with and without Weft.
//
//   latency COLLECTIVE BYTES ITERATIONS WARM_UP METHOD      COLLECTIVE: barrier … alltoall, ibarrier … ialltoall
//
// Two methods, both reporting the mean time of one call (a non-blocking one: start and wait) on the slowest rank:
//   osu   each call is timed by itself, with a barrier in between, as OSU's micro-benchmarks do
//   loop  the calls follow one another; the loop is timed
// Reductions add doubles (bytes, if the size is no multiple of 8). Buffers rotate, so that not every call finds its
// data where the last one left it. Afterwards the results of one more call are checked. Rank 0 prints one JSON line.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBuffers = 4 };
static const char* const kNames[] = {"barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall"};

static int me, ranks, kind, nonblocking, count;
static MPI_Datatype type;
static size_t bytes, sent_bytes, received_bytes;
static unsigned char *sent[kBuffers], *received[kBuffers];

static int refuse(const char* what, const char* word) {
  if (me == 0) fprintf(stderr, "latency: %s: %s\n", word, what);
  MPI_Finalize();
  return 2;
}

static int parse_collective(const char* name) {
  nonblocking = name[0] == 'i';
  for (kind = 0; kind < 6; ++kind)
    if (strcmp(name + nonblocking, kNames[kind]) == 0) return 1;
  return 0;
}

static void call(int buffer) {
  void *in = sent[buffer], *out = received[buffer];
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request;
  switch (kind + 6 * nonblocking) {
    case 0: MPI_Barrier(world); break;
    case 1: MPI_Bcast(in, count, type, 0, world); break;
    case 2: MPI_Reduce(in, out, count, type, MPI_SUM, 0, world); break;
    case 3: MPI_Allreduce(in, out, count, type, MPI_SUM, world); break;
    case 4: MPI_Allgather(in, count, type, out, count, type, world); break;
    case 5: MPI_Alltoall(in, count, type, out, count, type, world); break;
    case 6: MPI_Ibarrier(world, &request); break;
    case 7: MPI_Ibcast(in, count, type, 0, world, &request); break;
    case 8: MPI_Ireduce(in, out, count, type, MPI_SUM, 0, world, &request); break;
    case 9: MPI_Iallreduce(in, out, count, type, MPI_SUM, world, &request); break;
    case 10: MPI_Iallgather(in, count, type, out, count, type, world, &request); break;
    default: MPI_Ialltoall(in, count, type, out, count, type, world, &request); break;
  }
  if (nonblocking) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Small whole numbers, so that sums are exact; they depend on rank, place and receiver.
static int value(int rank, size_t item) { return (int)((item * 7 + (size_t)rank * 3) % 11); }

static void fill(void) {
  const size_t items = type == MPI_DOUBLE ? sent_bytes / sizeof(double) : sent_bytes;
  for (int b = 0; b < kBuffers; ++b)
    for (size_t i = 0; i < items; ++i)
      if (type == MPI_DOUBLE) ((double*)(void*)sent[b])[i] = value(me, i);
      else sent[b][i] = (unsigned char)value(me, i);
  for (int b = 0; b < kBuffers; ++b) memset(received[b], 0xff, received_bytes);
}

static double item(const unsigned char* memory, size_t i) {
  return type == MPI_DOUBLE ? ((const double*)(const void*)memory)[i] : memory[i];
}

// One more call on fresh data, and every item of the result.
static int is_right(void) {
  const size_t n = (size_t)count;
  int right = 1;
  fill();
  call(0);
  for (size_t i = 0; i < n && kind != 0; ++i) {
    int sum = 0;
    for (int r = 0; r < ranks; ++r) sum += value(r, i);
    if (kind == 1) right &= item(sent[0], i) == value(0, i);
    if (kind == 3 || (kind == 2 && me == 0)) right &= item(received[0], i) == (type == MPI_DOUBLE ? sum : sum % 256);
    for (int r = 0; kind >= 4 && r < ranks; ++r)
      right &= item(received[0], (size_t)r * n + i) == value(r, kind == 4 ? i : (size_t)me * n + i);
  }
  int all = 0;
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

static double seconds_per_call(long iterations, long warm_up, int apart) {
  double total = 0, slowest = 0;
  for (long i = 0; i < warm_up; ++i) call((int)(i % kBuffers));
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long i = 0; i < iterations; ++i) {
    const double start = apart ? MPI_Wtime() : 0;
    call((int)(i % kBuffers));
    if (apart) {
      total += MPI_Wtime() - start;
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  if (!apart) total = MPI_Wtime() - begin;
  MPI_Reduce(&total, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest / (double)iterations;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 6) return refuse("COLLECTIVE BYTES ITERATIONS WARM_UP METHOD", "usage");
  if (!parse_collective(argv[1])) return refuse("no such collective", argv[1]);
  bytes = kind == 0 ? 0 : strtoul(argv[2], NULL, 10);
  const long iterations = strtol(argv[3], NULL, 10), warm_up = strtol(argv[4], NULL, 10);
  const int apart = strcmp(argv[5], "osu") == 0;
  if (!apart && strcmp(argv[5], "loop") != 0) return refuse("the method is osu or loop", argv[5]);
  if (iterations < 1 || warm_up < 0 || bytes > 1u << 30) return refuse("out of range", "BYTES, ITERATIONS, WARM_UP");

  type = bytes % sizeof(double) == 0 ? MPI_DOUBLE : MPI_UNSIGNED_CHAR;
  count = (int)(type == MPI_DOUBLE ? bytes / sizeof(double) : bytes);
  sent_bytes = bytes * (size_t)(kind == 5 ? ranks : 1);
  received_bytes = bytes * (size_t)(kind >= 4 ? ranks : 1);
  for (int b = 0; b < kBuffers; ++b) {
    sent[b] = malloc(sent_bytes + 64);
    received[b] = malloc(received_bytes + 64);
    if (sent[b] == NULL || received[b] == NULL) return refuse("not enough memory for the buffers", argv[2]);
  }
  fill();
  const double time = seconds_per_call(iterations, warm_up, apart);
  const int right = is_right();
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = '\0';
  for (char* c = version; *c != '\0'; ++c)
    if (*c == '"' || *c == '\\' || *c == '\t') *c = ' ';
  if (me == 0)
    printf("{\"collective\": \"%s\", \"bytes\": %zu, \"ranks\": %d, \"method\": \"%s\", \"iterations\": %ld, "
           "\"microseconds\": %.6f, \"right\": %s, \"library\": \"%s\"}\n",
           argv[1], bytes, ranks, argv[5], iterations, 1e6 * time, right ? "true" : "false", version);
  for (int b = 0; b < kBuffers; ++b) free(sent[b]), free(received[b]);
  MPI_Finalize();
  return right ? 0 : 1;
}
