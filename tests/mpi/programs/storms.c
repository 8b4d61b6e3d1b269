// SPDX-License-Identifier: BSD-3-Clause
// Storms: mixed collectives, blocking and not, of sizes around every threshold, in an order that the seed
// decides. Arguments: which, the seed, and how many.
//   threads      each thread on communicators of its own, and all of them in turn on a shared one
//   outstanding  up to so many operations under way, waited for in an order of each rank's own, while one
//                rank sits in MPI_Recv until the others are done
//   bits         the same sum again and again, each rank coming late by chance: the same bits
#include <pthread.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 3, kOwn = 2, kMostUnderWay = 64 };
enum { kBarrier, kBcast, kReduce, kAllreduce, kAllgather, kAlltoall, kKinds };
static const int kCounts[] = {0, 1, 2, 15, 16, 28, 30, 31, 32, 33, 100, 1000, 1025, 6144, 9000, 26000};
enum { kSizes = sizeof kCounts / sizeof *kCounts };
static unsigned long seed;

struct operation {
  int kind, count, root, number;
  int *in, *out;
  MPI_Request request;
};

static void prepare(struct operation* o, uint64_t* common) {
  o->kind = (int)(draw(common) % kKinds);
  o->count = kCounts[draw(common) % kSizes];
  o->root = (int)(draw(common) % (uint32_t)world_size);
  o->number = (int)(draw(common) % 1000);
  const int blocks = o->kind >= kAllgather ? world_size : 1, words = o->count * blocks;
  o->in = malloc(sizeof(int) * (size_t)(words + 1));
  o->out = malloc(sizeof(int) * (size_t)(words + 1));
  for (int i = 0; i <= words; ++i) {
    o->out[i] = 1000 * world_rank + o->number + i;
    o->in[i] = o->kind == kBcast && world_rank == o->root ? o->out[i] : -1;
  }
  o->in[words] = -7;  // a guard behind the result
}

static void start(struct operation* o, MPI_Comm comm, int blocks) {
  const int n = o->count;
  MPI_Request* r = &o->request;
  *r = MPI_REQUEST_NULL;
  switch (o->kind + (blocks ? 0 : kKinds)) {
    case kBarrier: MPI_Barrier(comm); break;
    case kBcast: MPI_Bcast(o->in, n, MPI_INT, o->root, comm); break;
    case kReduce: MPI_Reduce(o->out, o->in, n, MPI_INT, MPI_SUM, o->root, comm); break;
    case kAllreduce: MPI_Allreduce(o->out, o->in, n, MPI_INT, MPI_SUM, comm); break;
    case kAllgather: MPI_Allgather(o->out, n, MPI_INT, o->in, n, MPI_INT, comm); break;
    case kAlltoall: MPI_Alltoall(o->out, n, MPI_INT, o->in, n, MPI_INT, comm); break;
    case kKinds + kBarrier: MPI_Ibarrier(comm, r); break;
    case kKinds + kBcast: MPI_Ibcast(o->in, n, MPI_INT, o->root, comm, r); break;
    case kKinds + kReduce: MPI_Ireduce(o->out, o->in, n, MPI_INT, MPI_SUM, o->root, comm, r); break;
    case kKinds + kAllreduce: MPI_Iallreduce(o->out, o->in, n, MPI_INT, MPI_SUM, comm, r); break;
    case kKinds + kAllgather: MPI_Iallgather(o->out, n, MPI_INT, o->in, n, MPI_INT, comm, r); break;
    default: MPI_Ialltoall(o->out, n, MPI_INT, o->in, n, MPI_INT, comm, r); break;
  }
}

static int wanted(const struct operation* o, int i) {
  const int from = o->count > 0 ? i / o->count : 0, within = o->count > 0 ? i % o->count : 0;
  switch (o->kind) {
    case kBcast: return 1000 * o->root + o->number + i;
    case kAllgather: return 1000 * from + o->number + within;
    case kAlltoall: return 1000 * from + o->number + world_rank * o->count + within;
    default: return 1000 * (world_size * (world_size - 1) / 2) + world_size * (o->number + i);
  }
}

static void finish(struct operation* o) {
  MPI_Wait(&o->request, MPI_STATUS_IGNORE);
  const int has_result = o->kind != kBarrier && (o->kind != kReduce || world_rank == o->root);
  const int words = o->count * (o->kind >= kAllgather ? world_size : 1);
  for (int i = 0; has_result && i < words; ++i)
    CHECK(o->in[i] == wanted(o, i), "%d at %d of %d in kind %d, wanted %d; seed %lu", o->in[i], i, o->count,
          o->kind, wanted(o, i), seed);
  CHECK(o->in[words] == -7, "kind %d wrote behind %d words; seed %lu", o->kind, words, seed);
  free(o->in);
  free(o->out);
}

// All of them are started, some of them blocking, and waited for in an order of this rank's own.
static void wave(MPI_Comm comm, int count, int some_block, uint64_t* common, uint64_t* own,
                 void (*meanwhile)(void)) {
  struct operation operations[kMostUnderWay];
  int order[kMostUnderWay];
  for (int i = 0; i < count; ++i) {
    prepare(&operations[i], common);
    start(&operations[i], comm, some_block && draw(common) % 4 == 0);
  }
  if (meanwhile != NULL) meanwhile();
  shuffle(order, count, own);
  for (int i = 0; i < count; ++i) finish(&operations[order[i]]);
}

static MPI_Comm own_comms[kThreads][kOwn], shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, rounds;

static void* thread(void* argument) {
  const int t = (int)(intptr_t)argument;
  uint64_t common = seed * 77 + (uint64_t)t, own = common + 1000 * (uint64_t)(world_rank + 1);
  for (int round = 0; round < rounds; ++round) {
    for (int c = 0; c < kOwn; ++c) {
      const int count = 1 + (int)(draw(&common) % 6);
      wave(own_comms[t][c], count, 1, &common, &own, NULL);
    }
    pthread_mutex_lock(&mutex);
    while (turn != round * kThreads + t) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    wave(shared, 3, 1, &common, &own, NULL);
    pthread_mutex_lock(&mutex);
    ++turn;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void threads(int count) {
  pthread_t running[kThreads];
  rounds = count;
  for (int t = 0; t < kThreads; ++t)
    for (int c = 0; c < kOwn; ++c) MPI_Comm_dup(MPI_COMM_WORLD, &own_comms[t][c]);
  MPI_Comm_dup(MPI_COMM_WORLD, &shared);
  for (int t = 0; t < kThreads; ++t) pthread_create(&running[t], NULL, thread, (void*)(intptr_t)t);
  for (int t = 0; t < kThreads; ++t) pthread_join(running[t], NULL);
  for (int t = 0; t < kThreads; ++t)
    for (int c = 0; c < kOwn; ++c) MPI_Comm_free(&own_comms[t][c]);
  MPI_Comm_free(&shared);
}

static void sit(void) {
  for (int r = 0; r < world_size; ++r)
    if (r != world_rank) MPI_Recv(NULL, 0, MPI_INT, r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void outstanding(int most) {
  uint64_t common = seed, own = seed + 1000 * (uint64_t)(world_rank + 1);
  for (int count = 1; count <= most; ++count) {
    const int sitter = count % world_size;
    wave(MPI_COMM_WORLD, count, 0, &common, &own, world_rank == sitter ? sit : NULL);
    if (world_rank != sitter) MPI_Send(NULL, 0, MPI_INT, sitter, 5, MPI_COMM_WORLD);
  }
}

static void bits(int times) {
  static double mine[1 << 14], first[1 << 14], again[1 << 14];
  uint64_t own = seed + 1000 * (uint64_t)(world_rank + 1);
  for (int s = 1; s < kSizes; ++s) {
    const int count = kCounts[s] < 1 << 14 ? kCounts[s] : 1 << 14;
    // Summands of very different sizes, so that every order of additions rounds differently.
    for (int i = 0; i < count; ++i) mine[i] = (double)draw(&own) / (double)(1 + draw(&own) % 100000);
    for (int time = 0; time < times; ++time) {
      double* const result = time == 0 ? first : again;
      MPI_Request request = MPI_REQUEST_NULL;
      usleep(draw(&own) % 4 == 0 ? draw(&own) % 300 : 0);
      if (time % 2 == 0) MPI_Allreduce(mine, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      else MPI_Iallreduce(mine, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(memcmp(first, result, sizeof(double) * (size_t)count) == 0, "%d doubles, time %d; seed %lu",
            count, time, seed);
    }
  }
}

int main(int argc, char** argv) {
  begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  CHECK(argc == 4, "%d arguments", argc);
  const int many = atoi(argv[3]);
  seed = strtoul(argv[2], NULL, 10);
  if (strcmp(argv[1], "threads") == 0) threads(many);
  if (strcmp(argv[1], "outstanding") == 0) outstanding(many);
  if (strcmp(argv[1], "bits") == 0) bits(many);
  return end("%s, seed %lu: %d", argv[1], seed, many);
}
