// SPDX-License-Identifier: BSD-3-Clause
// Hundreds of requests of every kind in one list: collectives, persistent ones among them, messages,
// one-sided operations and file access, completed by each function that takes a list, or by two threads at
// once.
//
//   hundreds WAY FILE        ways: waitall, waitany, waitsome, testall, testany, testsome, threads
#include <pthread.h>

#include "check.h"

enum { kBcast, kReceive, kSend, kAllreduce, kPut, kGet, kWrite, kPersistent, kKinds };
enum { kMany = 40 * kKinds, kWords = 4, kRounds = 3 };

static int in[kMany][kWords], out[kMany][kWords];
static int *shared, round_number;  // a window: what others put, and behind it what they get
static MPI_Win window;
static MPI_File file;
static MPI_Request requests[kMany];
static int writes = 1;  // whether files are accessed as well

static int value(int rank, int i, int word) { return 1000000 * round_number + 1000 * i + 10 * rank + word; }
static int right(void) { return (world_rank + 1) % world_size; }
static int left(void) { return (world_rank + world_size - 1) % world_size; }
static MPI_Offset place(int i) { return ((MPI_Offset)world_rank * kMany + i) * (MPI_Offset)sizeof out[0]; }

static void start(int i) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int root = i / kKinds % world_size;
  MPI_Request* request = &requests[i];
  for (int w = 0; w < kWords; ++w) {
    out[i][w] = value(world_rank, i, w);
    in[i][w] = i % kKinds == kBcast && world_rank == root ? out[i][w] : -1;
  }
  switch (i % kKinds) {
    case kBcast: MPI_Ibcast(in[i], kWords, MPI_INT, root, world, request); break;
    case kReceive: MPI_Irecv(in[i], kWords, MPI_INT, left(), i, world, request); break;
    case kSend: MPI_Isend(out[i], kWords, MPI_INT, right(), i - kSend + kReceive, world, request); break;
    case kAllreduce: MPI_Iallreduce(out[i], in[i], kWords, MPI_INT, MPI_MAX, world, request); break;
    case kPut:
      MPI_Rput(out[i], kWords, MPI_INT, right(), i * kWords, kWords, MPI_INT, window, request);
      break;
    case kGet:
      MPI_Rget(in[i], kWords, MPI_INT, right(), (kMany + i) * kWords, kWords, MPI_INT, window, request);
      break;
    case kWrite:
      *request = MPI_REQUEST_NULL;
      if (writes) MPI_File_iwrite_at(file, place(i), out[i], kWords, MPI_INT, request);
      break;
    default:
      if (round_number == 0)
        INIT(Allreduce)(out[i], in[i], kWords, MPI_INT, MPI_MIN, world, MPI_INFO_NULL, request);
      MPI_Start(request);
  }
}

static int wanted(int i, int w) {
  switch (i % kKinds) {
    case kBcast: return value(i / kKinds % world_size, i, w);
    case kReceive: return value(left(), i - kReceive + kSend, w);
    case kAllreduce: return value(world_size - 1, i, w);
    case kGet: return value(right(), i, w);
    case kPersistent: return value(0, i, w);
    default: return -1;
  }
}

static void check_all(void) {
  MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  for (int i = 0; i < kMany; ++i) {
    const int is_written = writes && i % kKinds == kWrite;
    int written[kWords];
    if (is_written) MPI_File_read_at(file, place(i), written, kWords, MPI_INT, MPI_STATUS_IGNORE);
    CHECK((requests[i] == MPI_REQUEST_NULL) == (i % kKinds != kPersistent), "request %d", i);
    for (int w = 0; w < kWords; ++w) {
      CHECK(in[i][w] == wanted(i, w), "%d at %d of request %d, not %d", in[i][w], w, i, wanted(i, w));
      if (is_written) CHECK(written[w] == out[i][w], "%d in the file, request %d", written[w], i);
      if (i % kKinds == kPut)
        CHECK(shared[i * kWords + w] == value(left(), i, w), "%d put, request %d", shared[i * kWords + w], i);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// --- ways to complete

static int indices[kMany];

static void by_any(int waits) {
  for (int done = 0; done < kMany;) {
    int q = MPI_UNDEFINED, flag = 1;
    if (waits) MPI_Waitany(kMany, requests, &q, MPI_STATUS_IGNORE);
    else MPI_Testany(kMany, requests, &q, &flag, MPI_STATUS_IGNORE);
    if (!flag) continue;
    CHECK(q >= 0 && q < kMany, "index %d with %d done", q, done);
    ++done;
  }
}

static void by_some(int waits) {
  for (int done = 0; done < kMany;) {
    int count = 0;
    (waits ? MPI_Waitsome : MPI_Testsome)(kMany, requests, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count != MPI_UNDEFINED, "none left with %d done", done);
    done += count;
  }
}

static void* by_half(void* half) {
  MPI_Waitall(kMany / 2, (MPI_Request*)half, MPI_STATUSES_IGNORE);
  return NULL;
}

// The first half elsewhere, where the other is tested here.
static void by_threads(void) {
  pthread_t other;
  pthread_create(&other, NULL, by_half, requests);
  for (int i = kMany / 2; i < kMany; ++i)
    for (int flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
  pthread_join(other, NULL);
}

static void complete(const char* way) {
  int flag = 0;
  if (strcmp(way, "waitall") == 0) MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE);
  else if (strcmp(way, "waitany") == 0) by_any(1);
  else if (strcmp(way, "testany") == 0) by_any(0);
  else if (strcmp(way, "waitsome") == 0) by_some(1);
  else if (strcmp(way, "testsome") == 0) by_some(0);
  else if (strcmp(way, "threads") == 0) by_threads();
  else
    while (!flag) MPI_Testall(kMany, requests, &flag, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  const char *way = argc > 1 ? argv[1] : "waitall", *path = argc > 2 ? argv[2] : "hundreds.data";
  const int threads = strcmp(way, "threads") == 0;
  begin_with_threads(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
#ifdef OPEN_MPI
  // It walks its list of file requests without a lock (mca_common_ompio_progress), so that 4.1 and 5.0 crash,
  // with and without Weft, where another thread completes one meanwhile.
  writes = !threads;
#endif
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Win_allocate((MPI_Aint)(2 * sizeof in), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  MPI_Win_lock_all(0, window);
  for (round_number = 0; round_number < kRounds; ++round_number) {
    for (int i = 0; i < kMany * kWords; ++i)
      shared[kMany * kWords + i] = value(world_rank, i / kWords, i % kWords);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kMany; ++i) start(i);
    complete(way);
    check_all();
  }
  for (int i = kPersistent; i < kMany; i += kKinds) MPI_Request_free(&requests[i]);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_File_close(&file);
  return end("%d requests by %s", kRounds * kMany, way);
}
