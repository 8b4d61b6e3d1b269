// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.h"

#include <stdio.h>
#include <string.h>

enum { kRoot = 0 };

// What rank `from` contributes as element i of its block for rank `to`; whole numbers, so that sums are exact.
static double contribution(int from, int to, int i) { return 1.0 + from + 10.0 * to + i % 7; }

static void clear(double* values, long count) {
  for (long i = 0; i < count; ++i) values[i] = -1.0;
}

static void fill_one(const struct Buffers* b) {
  for (int i = 0; i < b->count; ++i) b->send[i] = contribution(b->rank, 0, i);
  clear(b->recv, (long)b->count * b->ranks);
}

static void fill_all(const struct Buffers* b) {
  for (int to = 0; to < b->ranks; ++to)
    for (int i = 0; i < b->count; ++i) b->send[(long)to * b->count + i] = contribution(b->rank, to, i);
  clear(b->recv, (long)b->count * b->ranks);
}

static void fill_bcast(const struct Buffers* b) {
  clear(b->recv, b->count);
  for (int i = 0; i < b->count && b->rank == kRoot; ++i) b->recv[i] = contribution(kRoot, 0, i);
}

static long nothing_wrong(const struct Buffers* b) {
  (void)b;
  return 0;
}

static long wrong_sums(const struct Buffers* b) {
  long wrong = 0;
  for (int i = 0; i < b->count; ++i) {
    double sum = 0;
    for (int r = 0; r < b->ranks; ++r) sum += contribution(r, 0, i);
    wrong += b->recv[i] != sum;
  }
  return wrong;
}

static long wrong_sums_at_root(const struct Buffers* b) { return b->rank == kRoot ? wrong_sums(b) : 0; }

static long wrong_bcast(const struct Buffers* b) {
  long wrong = 0;
  for (int i = 0; i < b->count; ++i) wrong += b->recv[i] != contribution(kRoot, 0, i);
  return wrong;
}

static long wrong_blocks(const struct Buffers* b, int to) {
  long wrong = 0;
  for (int from = 0; from < b->ranks; ++from)
    for (int i = 0; i < b->count; ++i) wrong += b->recv[(long)from * b->count + i] != contribution(from, to, i);
  return wrong;
}

static long wrong_allgather(const struct Buffers* b) { return wrong_blocks(b, 0); }
static long wrong_alltoall(const struct Buffers* b) { return wrong_blocks(b, b->rank); }

#define WORLD MPI_COMM_WORLD
static void finish(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void barrier(const struct Buffers* b) { (void)b, MPI_Barrier(WORLD); }
static void bcast(const struct Buffers* b) { MPI_Bcast(b->recv, b->count, MPI_DOUBLE, kRoot, WORLD); }
static void reduce(const struct Buffers* b) {
  MPI_Reduce(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, kRoot, WORLD);
}
static void allreduce(const struct Buffers* b) {
  MPI_Allreduce(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, WORLD);
}
static void allgather(const struct Buffers* b) {
  MPI_Allgather(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, WORLD);
}
static void alltoall(const struct Buffers* b) {
  MPI_Alltoall(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, WORLD);
}

static void ibarrier(const struct Buffers* b) {
  (void)b;
  MPI_Request request;
  MPI_Ibarrier(WORLD, &request);
  finish(&request);
}
static void ibcast(const struct Buffers* b) {
  MPI_Request request;
  MPI_Ibcast(b->recv, b->count, MPI_DOUBLE, kRoot, WORLD, &request);
  finish(&request);
}
static void ireduce(const struct Buffers* b) {
  MPI_Request request;
  MPI_Ireduce(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, kRoot, WORLD, &request);
  finish(&request);
}
static void iallreduce(const struct Buffers* b) {
  MPI_Request request;
  MPI_Iallreduce(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, WORLD, &request);
  finish(&request);
}
static void iallgather(const struct Buffers* b) {
  MPI_Request request;
  MPI_Iallgather(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, WORLD, &request);
  finish(&request);
}
static void ialltoall(const struct Buffers* b) {
  MPI_Request request;
  MPI_Ialltoall(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, WORLD, &request);
  finish(&request);
}

static const struct Collective all[] = {
    {"barrier", barrier, fill_one, nothing_wrong},       {"ibarrier", ibarrier, fill_one, nothing_wrong},
    {"bcast", bcast, fill_bcast, wrong_bcast},           {"ibcast", ibcast, fill_bcast, wrong_bcast},
    {"reduce", reduce, fill_one, wrong_sums_at_root},    {"ireduce", ireduce, fill_one, wrong_sums_at_root},
    {"allreduce", allreduce, fill_one, wrong_sums},      {"iallreduce", iallreduce, fill_one, wrong_sums},
    {"allgather", allgather, fill_one, wrong_allgather}, {"iallgather", iallgather, fill_one, wrong_allgather},
    {"alltoall", alltoall, fill_all, wrong_alltoall},    {"ialltoall", ialltoall, fill_all, wrong_alltoall},
};

const struct Collective* find_collective(const char* name) {
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (strcmp(all[i].name, name) == 0) return &all[i];
  return NULL;
}

void print_collective_names(void) {
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; ++i) fprintf(stderr, " %s", all[i].name);
}
