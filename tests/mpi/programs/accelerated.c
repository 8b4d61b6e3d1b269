// SPDX-License-Identifier: BSD-3-Clause
// Buffers in an accelerator, for which accelerator.c stands in: on all ranks, or on every other one.
// Argument: which library is the driver; with "late" before it, it is loaded only after MPI_Init, by ranks
// whose MPI says that it takes such buffers.
#include <dlfcn.h>

#include "accelerator.h"
#include "forms.h"

static void* (*allocate_there)(size_t);
static void (*write_there)(void*, const void*, size_t);
static void (*read_there)(void*, const void*, size_t);
static long (*copies_there)(void);

static void load(const char* driver) {
  void* library = dlopen(driver, RTLD_NOW);
  CHECK(library != NULL, "%s: %s", driver, dlerror());
  allocate_there = __extension__(void* (*)(size_t)) dlsym(library, "accelerator_allocate");
  write_there = __extension__(void (*)(void*, const void*, size_t)) dlsym(library, "accelerator_write");
  read_there = __extension__(void (*)(void*, const void*, size_t)) dlsym(library, "accelerator_read");
  copies_there = __extension__(long (*)(void)) dlsym(library, "accelerator_copies");
}

#ifdef TAKES_BUFFERS_IN_ACCELERATORS
int MPIX_Query_cuda_support(void) { return 1; }
#endif

// --- buffers of ints, here or there

enum { kInts = 96, kRoot = 1, kGap = -7 };
static int everywhere;  // on all ranks, not only on those with an odd number

static int is_there(void) { return everywhere || world_rank % 2 == 1; }
// Four buffers in turn, so that a persistent operation finds those that it was made with.
static int* there(void) {
  static int* buffers[2][4];
  static int next;
  int** one = &buffers[everywhere][next++ % 4];
  if (*one == NULL) *one = is_there() ? allocate_there(kInts * sizeof(int)) : malloc(kInts * sizeof(int));
  return *one;
}
static int* filled(int first, int step) {
  int values[kInts], *buffer = there();
  for (int i = 0; i < kInts; ++i) values[i] = first + i * step;
  if (is_there()) write_there(buffer, values, sizeof values);
  else memcpy(buffer, values, sizeof values);
  return buffer;
}
static const int* seen(const int* buffer) {
  static int values[kInts];
  if (is_there()) read_there(values, buffer, sizeof values);
  else memcpy(values, buffer, sizeof values);
  return values;
}
static void expect(const int* buffer, const char* what, int at, int wanted) {
  const int* values = seen(buffer);
  CHECK(values[at] == wanted, "%s, %s: %d at %d, wanted %d, turn %d", form_names[form], what, values[at], at,
        wanted, turn);
}
static void expect_untouched(const int* buffer, const char* what, int from) {
  for (int i = from; i < kInts; ++i) expect(buffer, what, i, kGap);
}

// --- the collectives: each rank gives 100 * rank + i

static void reductions(void) {
  const int n = 5;
  const int ranks = world_size, all = 100 * (ranks * (ranks - 1) / 2);
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Allreduce, allreduce, in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n; ++i) expect(out, "allreduce", i, all + ranks * i);
    expect_untouched(out, "allreduce", n);
    there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int* both = filled(100 * world_rank, 1);
    START(Allreduce, allreduce, MPI_IN_PLACE, both, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n; ++i) expect(both, "allreduce in place", i, all + ranks * i);
    expect(both, "allreduce in place", n, 100 * world_rank + n);
    there(), there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Reduce, reduce, in, out, n, MPI_INT, MPI_SUM, kRoot, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n && world_rank == kRoot; ++i) expect(out, "reduce", i, all + ranks * i);
    expect_untouched(out, "reduce", world_rank == kRoot ? n : 0);
    there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Exscan, exscan, in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n && world_rank > 0; ++i)
      expect(out, "exscan", i, 100 * (world_rank * (world_rank - 1) / 2) + world_rank * i);
    expect_untouched(out, "exscan", world_rank > 0 ? n : 0);
    there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Reduce_scatter_block, reduce_scatter_block, in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < 2; ++i) expect(out, "reduce_scatter_block", i, all + ranks * (2 * world_rank + i));
    expect_untouched(out, "reduce_scatter_block", 2);
    there(), there();
  }
}

static void movements(void) {
  const int n = 3, ranks = world_size;
  for (turn = 0; turn < turns(); ++turn) {
    int* both = filled(world_rank == kRoot ? 100 : kGap, world_rank == kRoot);
    START(Bcast, bcast, both, n, MPI_INT, kRoot, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n; ++i) expect(both, "bcast", i, 100 + i);
    if (world_rank != kRoot) expect_untouched(both, "bcast", n);
    there(), there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Allgather, allgather, in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n * ranks; ++i) expect(out, "allgather", i, 100 * (i / n) + i % n);
    expect_untouched(out, "allgather", n * ranks);
    there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Alltoall, alltoall, in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n * ranks; ++i) expect(out, "alltoall", i, 100 * (i / n) + n * world_rank + i % n);
    expect_untouched(out, "alltoall", n * ranks);
    there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Gather, gather, in, n, MPI_INT, world_rank == kRoot ? out : NULL, n, MPI_INT, kRoot,
          MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n * ranks && world_rank == kRoot; ++i)
      expect(out, "gather", i, 100 * (i / n) + i % n);
    expect_untouched(out, "gather", world_rank == kRoot ? n * ranks : 0);
    there(), there();
  }
  for (turn = 0; turn < turns(); ++turn) {
    int *in = filled(100 * world_rank, 1), *out = filled(kGap, 0);
    START(Scatter, scatter, world_rank == kRoot ? in : NULL, n, MPI_INT, out, n, MPI_INT, kRoot,
          MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < n; ++i) expect(out, "scatter", i, 100 * kRoot + n * world_rank + i);
    expect_untouched(out, "scatter", n);
    there(), there();
  }
}

// What lies between the data of a datatype is not touched, nor need it be the accelerator's.
static void gaps(void) {
  MPI_Datatype pairs, absolute;
  MPI_Type_vector(3, 2, 4, MPI_INT, &pairs);  // 2 of 4 ints, three times
  MPI_Type_commit(&pairs);
  for (turn = 0; turn < turns(); ++turn) {
    int* both = filled(world_rank == kRoot ? 100 : kGap, world_rank == kRoot);
    START(Bcast, bcast, both, 1, pairs, kRoot, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < 12; ++i) {
      const int is_data = i % 4 < 2 && i < 10;
      expect(both, "pairs", i, is_data || world_rank == kRoot ? 100 + i : kGap);
    }
    there(), there(), there();
  }
  int* both = filled(world_rank == kRoot ? 100 : kGap, world_rank == kRoot);
  const int length = 3;
  MPI_Aint address;
  MPI_Get_address(both, &address);
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  MPI_Bcast(MPI_BOTTOM, 1, absolute, kRoot, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) expect(both, "at MPI_BOTTOM", i, 100 + i);
  there(), there(), there();
  MPI_Type_free(&absolute);
  MPI_Type_free(&pairs);
}

// Long ones and those with lists are the host's, wherever the buffers are: here they are where it can reach
// them.
static void left_to_host(void) {
  enum { kMany = 20000 };
  static int many[kMany];
  for (int i = 0; i < kMany; ++i) many[i] = i;
  MPI_Bcast(many, kMany, MPI_INT, kRoot, MPI_COMM_WORLD);
  int counts[64], places[64], all[64];
  for (int r = 0; r < world_size; ++r) counts[r] = 1, places[r] = r;
  MPI_Allgatherv(&world_rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < world_size; ++r) CHECK(all[r] == r, "%d of rank %d", all[r], r);
}

int main(int argc, char** argv) {
  const int late = argc == 3 && strcmp(argv[1], "late") == 0;
  if (!late) load(argv[argc - 1]);
  begin(&argc, &argv);
  CHECK(world_size * 3 < kInts && world_size > kRoot, "%d ranks", world_size);
  if (late) load(argv[argc - 1]);
  for (everywhere = 0; everywhere < 2; ++everywhere) {
    for (form = 0; form < kForms; ++form) {
      reductions();
      movements();
      gaps();
    }
  }
  left_to_host();
  CHECK(copies_there() > 0 || getenv("WEFT_ENABLE") != NULL, "nobody asked the driver");
  return end("right");
}
