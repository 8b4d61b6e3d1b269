// SPDX-License-Identifier: BSD-3-Clause
// Communicators come and go, of all ranks and of two, and with them persistent operations, of which each has
// more or fewer than the one before. Wherever memory is used again, what an earlier operation has left there
// must not look like this one's.
#include "check.h"

enum { kMost = 20, kElements = 3000, kRounds = 150 };

typedef struct {
  int kind, count, root;
  int *in, *out;
  MPI_Request request;
} One;

static int me, size;

static int value(int from, int round, int number, int start) {
  return from + 3 * round + 1000 * number + 100000 * start;
}

static void make(One* o, MPI_Comm comm, uint64_t* common) {
  o->kind = (int)(draw(common) % 4);
  o->count = draw(common) % 4 == 0 ? 1 + (int)(draw(common) % kElements) : 1 + (int)(draw(common) % 8);
  o->root = (int)(draw(common) % (uint32_t)size);
  o->in = calloc((size_t)(o->count * size), sizeof *o->in);
  o->out = calloc((size_t)(o->count * size), sizeof *o->out);
  MPI_Request* r = &o->request;
  switch (o->kind) {
    case 0: INIT(Bcast)(o->out, o->count, MPI_INT, o->root, comm, MPI_INFO_NULL, r); break;
    case 1:
      INIT(Gather)(o->in, o->count, MPI_INT, o->out, o->count, MPI_INT, o->root, comm, MPI_INFO_NULL, r);
      break;
    case 2:
      INIT(Alltoall)(o->in, o->count, MPI_INT, o->out, o->count, MPI_INT, comm, MPI_INFO_NULL, r);
      break;
    default: INIT(Allreduce)(o->in, o->out, o->count, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, r);
  }
}

static void run(One* o, int round, int number, int start) {
  const int all = o->count * size;
  for (int i = 0; i < all; ++i) {
    o->in[i] = value(me, round, number, start);
    o->out[i] = o->kind == 0 && me == o->root ? o->in[i] : -1;
  }
  MPI_Start(&o->request);
  MPI_Wait(&o->request, MPI_STATUS_IGNORE);
  const int is_blocks = o->kind == 1 || o->kind == 2, gets = o->kind != 1 || me == o->root;
  for (int i = 0; gets && i < (is_blocks ? all : o->count); ++i) {
    const int from = is_blocks ? i / o->count : o->kind == 0 ? o->root : size - 1;
    CHECK(o->out[i] == value(from, round, number, start), "%d from %d in round %d, operation %d, start %d",
          o->out[i], from, round, number, start);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  uint64_t common = 11;
  int operations = 0;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm comm;
    if (draw(&common) % 2 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else MPI_Comm_split(MPI_COMM_WORLD, world_rank < 2 ? 0 : MPI_UNDEFINED, world_rank, &comm);
    const int count = (int)(draw(&common) % (kMost + 1)), starts = (int)(draw(&common) % 12);
    uint64_t here = draw(&common);
    operations += count;
    if (comm == MPI_COMM_NULL) continue;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    One all[kMost];
    for (int i = 0; i < count; ++i) make(&all[i], comm, &here);
    for (int start = 0; start < starts; ++start)
      for (int i = 0; i < count; ++i) run(&all[i], round, i, start);
    for (int i = 0; i < count; ++i) {
      MPI_Request_free(&all[i].request);
      free(all[i].in), free(all[i].out);
    }
    MPI_Comm_free(&comm);
  }
  return end("%d operations on %d communicators", operations, kRounds);
}
