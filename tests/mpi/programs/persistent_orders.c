// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives match by the order in which they are made (MPI-4.0, section 6.13): every rank starts
// them in an order of its own, between non-blocking ones and blocking ones, and frees them in another.
// Arguments: how many are alive at a time, rounds, first seed.
#include "check.h"

enum { kKinds = 8, kMostElements = 30000 };

typedef struct {
  int kind, count, root;
  int *in, *out;
  MPI_Request request;
} One;

static int me, size;
static MPI_Comm comm;
static uint64_t common, own;

static uint32_t below(uint64_t* state, int limit) { return draw(state) % (uint32_t)limit; }

// What rank `from` contributes in this round at this place.
static int value(int from, int number, int round, int i) { return from * 7 + number * 3 + round * 11 + i; }
static int sum(int number, int round, int i, int ranks) {
  int all = 0;
  for (int from = 0; from < ranks; ++from) all += value(from, number, round, i);
  return all;
}

static int blocks_in(const One* o) { return o->kind == 4 || o->kind == 6 ? size : 1; }
static int blocks_out(const One* o) { return o->kind == 2 || o->kind == 4 ? size : 1; }

static void make(One* o, int elements) {
  const MPI_Info none = MPI_INFO_NULL;
  o->kind = (int)below(&common, kKinds);
  const int is_long = below(&common, 8) == 0;
  o->count = 1 + (int)below(&common, is_long ? elements : 8);
  o->root = (int)below(&common, size);
  o->in = calloc((size_t)(o->count * blocks_in(o)), sizeof *o->in);
  o->out = calloc((size_t)(o->count * blocks_out(o)), sizeof *o->out);
  MPI_Request* r = &o->request;
  const int n = o->count;
  switch (o->kind) {
    case 0: INIT(Allreduce)(o->in, o->out, n, MPI_INT, MPI_SUM, comm, none, r); break;
    case 1: INIT(Bcast)(o->out, n, MPI_INT, o->root, comm, none, r); break;
    case 2: INIT(Allgather)(o->in, n, MPI_INT, o->out, n, MPI_INT, comm, none, r); break;
    case 3: INIT(Barrier)(comm, none, r); break;
    case 4: INIT(Alltoall)(o->in, n, MPI_INT, o->out, n, MPI_INT, comm, none, r); break;
    case 5: INIT(Scan)(o->in, o->out, n, MPI_INT, MPI_SUM, comm, none, r); break;
    case 6: INIT(Reduce_scatter_block)(o->in, o->out, n, MPI_INT, MPI_SUM, comm, none, r); break;
    default: INIT(Reduce)(o->in, o->out, n, MPI_INT, MPI_SUM, o->root, comm, none, r);
  }
}

static void fill(One* o, int number, int round) {
  for (int i = 0; i < o->count * blocks_in(o); ++i) o->in[i] = value(me, number, round, i);
  for (int i = 0; i < o->count * blocks_out(o); ++i)
    o->out[i] = o->kind == 1 && me == o->root ? value(me, number, round, i) : -1;
}

static void check(const One* o, int number, int round) {
  const int last = o->count - 1;
  for (int i = 0; i<o->count; i += last> 0 ? last : 1) {
    int wanted = -1;
    switch (o->kind) {
      case 0: wanted = sum(number, round, i, size); break;
      case 1: wanted = value(o->root, number, round, i); break;
      case 5: wanted = sum(number, round, i, me + 1); break;
      case 6: wanted = sum(number, round, me * o->count + i, size); break;
      case 7: wanted = me == o->root ? sum(number, round, i, size) : -1; break;
      case 2:
      case 4:
        for (int from = 0; from < size; ++from) {
          const int sent = value(from, number, round, o->kind == 2 ? i : me * o->count + i);
          const int found = o->out[from * o->count + i];
          CHECK(found == sent, "%d of operation %d, not %d", found, number, sent);
        }
        continue;
      default: continue;
    }
    CHECK(o->out[i] == wanted, "%d of operation %d, kind %d, round %d, not %d", o->out[i], number, o->kind,
          round, wanted);
  }
}

static void release(One* o) {
  MPI_Request_free(&o->request);
  free(o->in);
  free(o->out);
}

// Non-blocking and blocking ones match among themselves, wherever they come between the others.
static int ones[4], sums[4];
static MPI_Request plain[4];
static void call_another(int which) {
  ones[which] = which + 1;
  if (which < 3) MPI_Iallreduce(&ones[which], &sums[which], 1, MPI_INT, MPI_SUM, comm, &plain[which]);
}

static void start_in_any_order(One* all, int count, int round) {
  int* order = malloc((size_t)count * sizeof *order);
  shuffle(order, count, &own);
  int before[3];  // where this rank makes its other calls
  for (int i = 0; i < 3; ++i) before[i] = (int)below(&own, count);
  for (int i = 0; i < count; ++i) {
    for (int j = 0, next = 0; j < 3; ++j)
      if (before[j] == i) {
        while (next < 3 && plain[next] != MPI_REQUEST_NULL) ++next;
        call_another(next);
      }
    One* o = &all[order[i]];
    fill(o, order[i], round);
    MPI_Start(&o->request);
    if (below(&own, 50) == 0) {
      int flag = 0;
      MPI_Test(&all[order[0]].request, &flag, MPI_STATUS_IGNORE);
    }
  }
  free(order);
}

static void complete(One* all, int count) {
  MPI_Request* requests = malloc((size_t)count * sizeof *requests);
  for (int i = 0; i < count; ++i) requests[i] = all[i].request;
  if (below(&own, 2) == 0) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  else
    for (int i = count; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  free(requests);
  MPI_Waitall(3, plain, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) CHECK(sums[i] == size * (i + 1), "%d", sums[i]);
}

// A rank starts two and waits for one: another one does it the other way around.
static void wait_for_the_other(One* two, int round) {
  for (int i = 0; i < 2; ++i) {
    One* o = &two[(me + i) % 2];
    fill(o, (me + i) % 2, round);
    MPI_Start(&o->request);
  }
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
  CHECK(all == size, "%d", all);
  for (int i = 0; i < 2; ++i) MPI_Wait(&two[(me + 1 + i) % 2].request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) check(&two[i], i, round);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int count = atoi(argv[1]), rounds = atoi(argv[2]);
  common = (uint64_t)atoll(argv[3]), own = common + 1000003u * (uint64_t)(world_rank + 1);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < 4; ++i) plain[i] = MPI_REQUEST_NULL;
  One* all = calloc((size_t)count, sizeof *all);
  const int elements = count > 1000 ? 100 : kMostElements;
  for (int i = 0; i < count; ++i) make(&all[i], elements);
  for (int round = 0; round < rounds; ++round) {
    const int started = 1 + (round == 0 ? count - 1 : (int)below(&common, count));
    start_in_any_order(all, started, round);
    complete(all, started);
    for (int i = 0; i < started; ++i) check(&all[i], i, round);
    if (count > 1) wait_for_the_other(all, round);
    // All ranks free the same operations, each rank in an order of its own, and make new ones in their
    // places.
    int* order = malloc((size_t)started * sizeof *order);
    char* leaves = calloc((size_t)started, 1);
    for (int i = 0; i < started; ++i) leaves[i] = below(&common, 4) == 0;
    shuffle(order, started, &own);
    for (int i = 0; i < started; ++i)
      if (leaves[order[i]]) release(&all[order[i]]);
    for (int i = 0; i < started; ++i)
      if (leaves[i]) make(&all[i], elements);
    free(order);
    free(leaves);
  }
  int* order = malloc((size_t)count * sizeof *order);
  shuffle(order, count, &own);
  for (int i = 0; i < count; ++i) release(&all[order[i]]);
  free(order);
  free(all);
  MPI_Comm_free(&comm);
  return end("%d operations in %d rounds", count, rounds);
}
