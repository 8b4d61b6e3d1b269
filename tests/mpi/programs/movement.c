// SPDX-License-Identifier: BSD-3-Clause
// Bcast, Allgather, Alltoall and Barrier, blocking and non-blocking, with every root, counts from 0 to large,
// MPI_IN_PLACE, and datatypes in many layouts, equal or different on the ranks: each result is compared with
// what it must be, word by word.
#include "layouts.h"

static Layout layouts[kLayouts];
static int nonblocking, cases;

static int value(int from, int to, int basic) { return from * 1000003 + to * 7919 + basic; }

static void settle(MPI_Request* request) {
  int flag = 0;
  if (cases % 3 == 0) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
  if (!flag) MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void fill(const Layout* l, int* memory, int first, int basics, int from, int to) {
  for (int i = 0; i < basics; ++i) *place(l, memory, first + i) = value(from, to, i);
}

static void expect(const Layout* l, int* memory, int first, int basics, int from, int to, const char* what) {
  for (int i = 0; i < basics; ++i) {
    const int found = *place(l, memory, first + i), wanted = value(from, to, i);
    CHECK(found == wanted, "%s of %d ints as %s, from %d: %d at %d, wanted %d", what, basics, l->name, from,
          found, i, wanted);
  }
}

static void bcast(const Layout* l, int basics, int root) {
  int* memory = allocate(l, basics);
  MPI_Request request;
  const int count = basics / l->basics;
  if (world_rank == root) fill(l, memory, 0, basics, root, 0);
  if (nonblocking) MPI_Ibcast(memory, count, l->type, root, MPI_COMM_WORLD, &request), settle(&request);
  else MPI_Bcast(memory, count, l->type, root, MPI_COMM_WORLD);
  expect(l, memory, 0, basics, root, 0, "bcast");
  check_holes(l, memory, basics, "bcast");
  free(memory);
  ++cases;
}

// all = 0: allgather, where everybody sends the same to all; all = 1: alltoall.
static void blocks(const Layout* send, const Layout* recv, int basics, int all, int in_place) {
  const int n = world_size, me = world_rank, blocks_sent = all ? n : 1;
  int* out = allocate(send, basics * blocks_sent);
  int* in = allocate(recv, basics * n);
  MPI_Request request;
  for (int to = 0; to < blocks_sent; ++to) fill(send, out, to * basics, basics, me, all ? to : 0);
  if (in_place && all)
    for (int to = 0; to < n; ++to) fill(recv, in, to * basics, basics, me, to);
  if (in_place && !all) fill(recv, in, me * basics, basics, me, 0);
  const void* from = in_place ? MPI_IN_PLACE : out;
  const int sendcount = in_place ? 0 : basics / send->basics, recvcount = basics / recv->basics;
  const MPI_Datatype sendtype = in_place ? MPI_DATATYPE_NULL : send->type;
  const MPI_Comm world = MPI_COMM_WORLD;
  if (all && nonblocking)
    MPI_Ialltoall(from, sendcount, sendtype, in, recvcount, recv->type, world, &request), settle(&request);
  else if (all) MPI_Alltoall(from, sendcount, sendtype, in, recvcount, recv->type, world);
  else if (nonblocking)
    MPI_Iallgather(from, sendcount, sendtype, in, recvcount, recv->type, world, &request), settle(&request);
  else MPI_Allgather(from, sendcount, sendtype, in, recvcount, recv->type, world);
  const char* what = all ? "alltoall" : "allgather";
  for (int r = 0; r < n; ++r) expect(recv, in, r * basics, basics, r, all ? me : 0, what);
  for (int to = 0; to < blocks_sent; ++to)
    expect(send, out, to * basics, basics, me, all ? to : 0, "send buffer");
  check_holes(recv, in, basics * n, what);
  free(out);
  free(in);
  ++cases;
}

static void barrier(void) {
  MPI_Request request;
  if (nonblocking) MPI_Ibarrier(MPI_COMM_WORLD, &request), settle(&request);
  else MPI_Barrier(MPI_COMM_WORLD);
  ++cases;
}

// All ranks use layout `choice`, or, if it is kLayouts, each its own.
static void all_with(int choice, int basics) {
  const Layout* send = &layouts[choice < kLayouts ? choice : world_rank % kLayouts];
  const Layout* recv = &layouts[choice < kLayouts ? choice : (world_rank * 5 + 2) % kLayouts];
  for (int root = 0; root < world_size; ++root)
    if (basics <= 42 || root == world_size / 2) bcast(send, basics, root);
  for (int all = 0; all < 2; ++all)
    for (int in_place = 0; in_place < 2; ++in_place) blocks(send, recv, basics, all, in_place);
  barrier();
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static const int basics[] = {0, 6, 42, 6006, 60000};
  const int largest = argc > 1 ? atoi(argv[1]) : 5;
  make_layouts(layouts);
  for (nonblocking = 0; nonblocking < 2; ++nonblocking)
    for (int b = 0; b < largest && b < 5; ++b)
      for (int choice = 0; choice <= kLayouts; ++choice) all_with(choice, basics[b]);
  for (int count = 1; count < 12; ++count) bcast(&layouts[0], count, count % world_size);
  free_layouts(layouts);
  return end("%d cases", cases);
}
