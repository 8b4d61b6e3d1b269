// SPDX-License-Identifier: BSD-3-Clause
// What all test programs share: a check that ends the job with the rank, the place and the reason, and the
// frame that each of them runs in.
#pragma once

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// INIT(Bcast): Open MPI 4 has the persistent collectives as an extension.
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

static int world_rank, world_size;

static inline void fail(const char* file, int line, const char* what, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "rank %d of %d, %s:%d: expected %s: ", world_rank, world_size, file, line, what);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  fflush(NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(condition, ...)                                            \
  do {                                                                   \
    if (!(condition)) fail(__FILE__, __LINE__, #condition, __VA_ARGS__); \
  } while (0)

static inline void learn_world(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  learn_world();
}

static inline void begin_with_threads(int* argc, char*** argv, int level) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, level, &provided);
  learn_world();
  CHECK(provided >= level, "thread level %d, not %d", provided, level);
}

// One line from rank 0: the same with and without Weft.
static inline int end(const char* format, ...) {
  if (world_rank == 0) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
  }
  MPI_Finalize();
  return 0;
}

// The same numbers on every rank for the same state.
static inline uint32_t draw(uint64_t* state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)((z ^ (z >> 31)) >> 16);
}

static inline void shuffle(int* order, int count, uint64_t* state) {
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int i = count - 1; i > 0; --i) {
    const int j = (int)(draw(state) % (uint32_t)(i + 1));
    const int other = order[i];
    order[i] = order[j];
    order[j] = other;
  }
}
