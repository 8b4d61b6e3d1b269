// SPDX-License-Identifier: BSD-3-Clause
// Requests of collectives and of messages mixed in one list, completed by every function that completes
// requests, under their MPI_ and their PMPI_ names. Argument: the function.
#include "check.h"

enum { kCollectives = 6, kMessages = 4, kRequests = kCollectives + kMessages, kWords = 16, kRounds = 30 };
static int in[kRequests][kWords * 16], out[kWords * 16], root;
static MPI_Request requests[kRequests];
static MPI_Status statuses[kRequests];

// Even places are collectives as long as there are some, the others messages around the ring.
static void start_all(int round) {
  const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  const MPI_Comm world = MPI_COMM_WORLD;
  root = round % world_size;
  for (int i = 0; i < kWords * 16; ++i) out[i] = 1000 * world_rank + i + round;
  for (int q = 0; q < kRequests; ++q) memset(in[q], -1, sizeof in[q]);
  MPI_Irecv(in[1], kWords, MPI_INT, previous, 11, world, &requests[1]);
  MPI_Ibarrier(world, &requests[0]);
  if (world_rank == root) memcpy(in[2], out, sizeof out);
  MPI_Ibcast(in[2], kWords, MPI_INT, root, world, &requests[2]);
  MPI_Isend(out, kWords, MPI_INT, next, 11, world, &requests[3]);
  MPI_Ireduce(out, in[4], kWords, MPI_INT, MPI_SUM, root, world, &requests[4]);
  MPI_Irecv(in[5], kWords, MPI_INT, previous, 12, world, &requests[5]);
  MPI_Iallreduce(out, in[6], kWords, MPI_INT, MPI_MAX, world, &requests[6]);
  MPI_Issend(out, kWords, MPI_INT, next, 12, world, &requests[7]);
  MPI_Iallgather(out, kWords, MPI_INT, in[8], kWords, MPI_INT, world, &requests[8]);
  MPI_Ialltoall(out, kWords, MPI_INT, in[9], kWords, MPI_INT, world, &requests[9]);
}

static void check_all(int round) {
  const int n = world_size, previous = (world_rank + n - 1) % n;
  for (int q = 0; q < kRequests; ++q)
    CHECK(requests[q] == MPI_REQUEST_NULL, "request %d of round %d", q, round);
  for (int i = 0; i < kWords; ++i) {
    CHECK(in[1][i] == 1000 * previous + i + round && in[5][i] == in[1][i], "%d in round %d", in[1][i], round);
    CHECK(in[2][i] == 1000 * root + i + round, "%d in round %d", in[2][i], round);
    if (world_rank == root)
      CHECK(in[4][i] == 1000 * (n * (n - 1) / 2) + n * (i + round), "%d in round %d", in[4][i], round);
    CHECK(in[6][i] == 1000 * (n - 1) + i + round, "%d in round %d", in[6][i], round);
    for (int r = 0; r < n; ++r) {
      CHECK(in[8][r * kWords + i] == 1000 * r + i + round, "%d in round %d", in[8][r * kWords + i], round);
      const int words = world_rank * kWords;
      CHECK(in[9][r * kWords + i] == 1000 * r + words + i + round, "%d in round %d", in[9][r * kWords + i],
            round);
    }
  }
}

static void check_receive(int q) {
  if (q != 1 && q != 5) return;
  int count = -1;
  MPI_Get_count(&statuses[q], MPI_INT, &count);
  CHECK(count == kWords, "%d words in the status of request %d", count, q);
  CHECK(statuses[q].MPI_TAG == (q == 1 ? 11 : 12), "tag %d", statuses[q].MPI_TAG);
}

// --- one function per way to complete; `pmpi` takes the names that no wrapper sees

static void by_wait(int pmpi, uint64_t* seed) {
  int order[kRequests];
  shuffle(order, kRequests, seed);
  for (int i = 0; i < kRequests; ++i) {
    const int q = order[i];
    CHECK((pmpi ? PMPI_Wait : MPI_Wait)(&requests[q], &statuses[q]) == MPI_SUCCESS, "request %d", q);
    check_receive(q);
  }
}

static void by_test(int pmpi, uint64_t* seed) {
  int order[kRequests];
  shuffle(order, kRequests, seed);
  for (int i = 0; i < kRequests; ++i)
    for (int flag = 0; !flag;) (pmpi ? PMPI_Test : MPI_Test)(&requests[order[i]], &flag, &statuses[order[i]]);
  check_receive(1);
}

static void by_waitall(int pmpi, uint64_t* seed) {
  (void)seed;
  (pmpi ? PMPI_Waitall : MPI_Waitall)(kRequests, requests, statuses);
  for (int q = 0; q < kRequests; ++q) check_receive(q);
}

static void by_testall(int pmpi, uint64_t* seed) {
  (void)seed;
  for (int flag = 0; !flag;) (pmpi ? PMPI_Testall : MPI_Testall)(kRequests, requests, &flag, statuses);
  for (int q = 0; q < kRequests; ++q) check_receive(q);
}

static void by_waitany(int pmpi, uint64_t* seed) {
  (void)seed;
  int seen[kRequests] = {0}, q;
  MPI_Status status;
  for (int i = 0; i < kRequests; ++i) {
    (pmpi ? PMPI_Waitany : MPI_Waitany)(kRequests, requests, &q, &status);
    CHECK(q >= 0 && q < kRequests && !seen[q]++, "index %d", q);
    statuses[q] = status;
    check_receive(q);
  }
  (pmpi ? PMPI_Waitany : MPI_Waitany)(kRequests, requests, &q, &status);
  CHECK(q == MPI_UNDEFINED, "index %d of nothing", q);
}

static void by_testany(int pmpi, uint64_t* seed) {
  (void)seed;
  int seen[kRequests] = {0}, q, flag;
  for (int done = 0; done < kRequests;) {
    MPI_Status status;
    (pmpi ? PMPI_Testany : MPI_Testany)(kRequests, requests, &q, &flag, &status);
    if (!flag) continue;
    CHECK(q >= 0 && q < kRequests && !seen[q]++, "index %d", q);
    ++done;
  }
}

static void by_some(int pmpi, int waiting) {
  int seen[kRequests] = {0}, count, indices[kRequests];
  MPI_Status some[kRequests];
  for (int done = 0; done < kRequests;) {
    if (waiting) (pmpi ? PMPI_Waitsome : MPI_Waitsome)(kRequests, requests, &count, indices, some);
    else (pmpi ? PMPI_Testsome : MPI_Testsome)(kRequests, requests, &count, indices, some);
    CHECK(count >= waiting && count <= kRequests - done, "%d of %d", count, kRequests - done);
    for (int i = 0; i < count; ++i) {
      CHECK(!seen[indices[i]]++, "index %d twice", indices[i]);
      statuses[indices[i]] = some[i];
      check_receive(indices[i]);
    }
    done += count;
  }
}

static void by_waitsome(int pmpi, uint64_t* seed) { (void)seed, by_some(pmpi, 1); }
static void by_testsome(int pmpi, uint64_t* seed) { (void)seed, by_some(pmpi, 0); }

static void by_get_status(int pmpi, uint64_t* seed) {
  (void)seed;
#ifdef MPICH_VERSION
  pmpi = 0;  // PMPI_Request_get_status of MPICH 4.0 does not poll generalised requests, Weft's or anybody's
#endif
  for (int q = kRequests - 1; q >= 0; --q) {
    for (int flag = 0; !flag;)
      (pmpi ? PMPI_Request_get_status : MPI_Request_get_status)(requests[q], &flag, &statuses[q]);
    CHECK(requests[q] != MPI_REQUEST_NULL, "request %d to live on", q);
    check_receive(q);
    MPI_Wait(&requests[q], MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static const struct {
    const char* name;
    void (*complete)(int, uint64_t*);
  } ways[] = {{"wait", by_wait},         {"test", by_test},         {"waitall", by_waitall},
              {"testall", by_testall},   {"waitany", by_waitany},   {"testany", by_testany},
              {"waitsome", by_waitsome}, {"testsome", by_testsome}, {"get_status", by_get_status}};
  const char* wanted = argc > 1 ? argv[1] : "wait";
  uint64_t seed = 1 + (uint64_t)world_rank;
  int rounds = 0;
  for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w)
    for (int round = 0; strcmp(ways[w].name, wanted) == 0 && round < kRounds; ++round, ++rounds) {
      start_all(round);
      ways[w].complete(round % 2, &seed);
      check_all(round);
    }
  CHECK(rounds == kRounds, "%s is no way to complete requests", wanted);
  return end("%s: %d rounds", wanted, rounds);
}
