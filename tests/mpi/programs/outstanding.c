// SPDX-License-Identifier: BSD-3-Clause
// Many operations in flight at once: a thousand Ibarriers waited for in an order of each rank's own, batches
// of all six kinds, sums that the host adds; with the argument "freed", also requests that are freed instead
// of waited for, which the standard forbids for collectives, some hosts allow, and Weft takes as for any
// other request.
#include "check.h"

enum { kBarriers = 1000, kBatch = 60, kWords = 5 };

static void thousand_barriers(uint64_t* own) {
  static MPI_Request requests[kBarriers];
  static int order[kBarriers];
  for (int i = 0; i < kBarriers; ++i) MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]);
  shuffle(order, kBarriers, own);
  for (int i = 0; i < kBarriers; ++i) MPI_Wait(&requests[order[i]], MPI_STATUS_IGNORE);
}

static int in[kBatch][kWords * 16], out[kBatch][kWords * 16];

static void start(int i, int kind, int root, MPI_Request* request) {
  const MPI_Comm world = MPI_COMM_WORLD;
  for (int j = 0; j < kWords * 16; ++j) out[i][j] = 100 * world_rank + i + j, in[i][j] = -1;
  if (kind == 1 && world_rank == root) memcpy(in[i], out[i], sizeof in[i]);
  switch (kind) {
    case 0: MPI_Ibarrier(world, request); break;
    case 1: MPI_Ibcast(in[i], kWords, MPI_INT, root, world, request); break;
    case 2: MPI_Ireduce(out[i], in[i], kWords, MPI_INT, MPI_SUM, root, world, request); break;
    case 3: MPI_Iallreduce(out[i], in[i], kWords, MPI_INT, MPI_SUM, world, request); break;
    case 4: MPI_Iallgather(out[i], kWords, MPI_INT, in[i], kWords, MPI_INT, world, request); break;
    default: MPI_Ialltoall(out[i], kWords, MPI_INT, in[i], kWords, MPI_INT, world, request); break;
  }
}

static void check(int i, int kind, int root) {
  const int n = world_size;
  for (int j = 0; j < kWords; ++j) {
    if (kind == 1) CHECK(in[i][j] == 100 * root + i + j, "%d in operation %d", in[i][j], i);
    if (kind == 3 || (kind == 2 && world_rank == root))
      CHECK(in[i][j] == 100 * (n * (n - 1) / 2) + n * (i + j), "%d in operation %d", in[i][j], i);
    for (int r = 0; kind >= 4 && r < n; ++r) {
      const int wanted = 100 * r + i + j + (kind == 5 ? world_rank * kWords : 0);
      CHECK(in[i][r * kWords + j] == wanted, "%d in operation %d, from rank %d", in[i][r * kWords + j], i, r);
    }
  }
}

static void batch(uint64_t* common, uint64_t* own) {
  MPI_Request requests[kBatch];
  int kinds[kBatch], roots[kBatch], order[kBatch];
  for (int i = 0; i < kBatch; ++i) {
    kinds[i] = (int)(draw(common) % 6);
    roots[i] = (int)(draw(common) % (uint32_t)world_size);
    start(i, kinds[i], roots[i], &requests[i]);
  }
  shuffle(order, kBatch, own);
  for (int i = 0; i < kBatch; ++i) {
    const int q = order[i];
    MPI_Wait(&requests[q], MPI_STATUS_IGNORE);
    check(q, kinds[q], roots[q]);
  }
}

// The host applies the operator to long doubles, for each operation in flight its own: in runs of one length
// and operator, which are told by their arguments alone, and from one run to the next with others.
static void by_host(uint64_t* common, uint64_t* own) {
  static long double from[kBatch][kWords], into[kBatch][kWords];
  MPI_Request requests[kBatch];
  int order[kBatch], counts[kBatch], sums[kBatch];
  for (int i = 0; i < kBatch; ++i) {
    const int goes_on = i > 0 && draw(common) % 4 != 0;
    counts[i] = goes_on ? counts[i - 1] : 1 + (int)(draw(common) % kWords);
    sums[i] = goes_on ? sums[i - 1] : draw(common) % 2 == 0;
    for (int j = 0; j < kWords; ++j) from[i][j] = 100 * world_rank + i + j, into[i][j] = -1;
    MPI_Iallreduce(from[i], into[i], counts[i], MPI_LONG_DOUBLE, sums[i] ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD,
                   &requests[i]);
  }
  shuffle(order, kBatch, own);
  const int n = world_size;
  for (int k = 0; k < kBatch; ++k) {
    const int i = order[k];
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int j = 0; j < kWords; ++j) {
      const int sum = 100 * (n * (n - 1) / 2) + n * (i + j), most = 100 * (n - 1) + i + j;
      const int wanted = j >= counts[i] ? -1 : sums[i] ? sum : most;
      CHECK(into[i][j] == wanted, "%Lg instead of %d in operation %d", into[i][j], wanted, i);
    }
  }
}

// A freed request's operation completes all the same; a barrier behind it shows when.
static void freed(void) {
  int word[2] = {world_rank, -1}, sum[2] = {-1, -1};
  MPI_Request request;
  for (int i = 0; i < 20; ++i) {
    sum[0] = -1;
    MPI_Iallreduce(word, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL, "the request in round %d", i);
    const int wanted = world_size * (world_size - 1) / 2;
    for (volatile int* result = sum; *result != wanted;) {  // on its way it may hold anything
      int flag;
      MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  uint64_t common = 42, own = 7 + (uint64_t)world_rank;
  thousand_barriers(&own);
  for (int i = 0; i < 12; ++i) batch(&common, &own), by_host(&common, &own);
  if (argc > 1 && strcmp(argv[1], "freed") == 0) freed();
  thousand_barriers(&own);
  return end("%d barriers, %d operations", 2 * kBarriers, 24 * kBatch);
}
