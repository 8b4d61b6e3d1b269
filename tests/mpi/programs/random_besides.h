// SPDX-License-Identifier: BSD-3-Clause
// What happens in a random program besides its operations: threads that make communicators, and calls that a
// host refuses. Both give a number that is the same on every host run.
#pragma once

#include <pthread.h>

#include "forms.h"
#include "random_arguments.h"

// --- several threads of every rank, each from a communicator of its own

enum { kMostThreads = 3, kMadeByEach = 4 };

typedef struct {
  MPI_Comm parent;  // of all ranks: otherwise Open MPI 4.1 itself may wait for ever
  uint64_t state, found;
} Maker;

static MPI_Comm another_of(MPI_Comm parent, uint32_t making) {
  MPI_Comm made;
  MPI_Group group;
  MPI_Request made_now;
  switch (making % 4) {
    case 0: MPI_Comm_dup(parent, &made); break;
    case 1: MPI_Comm_split(parent, 0, -world_rank, &made); break;
    case 2:
      MPI_Comm_group(parent, &group);
      MPI_Comm_create(parent, group, &made);
      MPI_Group_free(&group);
      break;
    default: MPI_Comm_idup(parent, &made, &made_now), MPI_Wait(&made_now, MPI_STATUS_IGNORE);
  }
  return made;
}

static void* make_in_turn(void* place) {
  Maker* m = place;
  for (int i = 0; i < kMadeByEach; ++i) {
    const MPI_Comm made = another_of(m->parent, draw(&m->state));
    int rank;
    MPI_Comm_rank(made, &rank);
    uint64_t mine = mix(m->state, (uint64_t)rank), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, made);
    m->found = mix(m->found, mix(all, (uint64_t)rank));
    MPI_Comm_free(&m->parent);
    m->parent = made;
  }
  MPI_Comm_free(&m->parent);
  return NULL;
}

static uint64_t make_in_threads(int count, uint64_t seed) {
  Maker makers[kMostThreads] = {0};
  pthread_t threads[kMostThreads];
  uint64_t all = 0;
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &makers[i].parent);
  for (int i = 0; i < count; ++i) {
    makers[i].state = mix(seed, (uint64_t)i);
    pthread_create(&threads[i], NULL, make_in_turn, &makers[i]);
  }
  for (int i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    all = mix(all, makers[i].found);
  }
  return all;
}

// --- one buffer for two, without MPI_IN_PLACE

// The class of the host's error. All members do the same wrong, so that no message stays behind.
static uint64_t class_of_one_buffer_for_two(MPI_Comm comm, uint64_t state) {
  static int memory[kMostBlocks * 4], counts[kMostBlocks], places[kMostBlocks];
  const int n = 1 + (int)(draw(&state) % 4);
  int code = MPI_SUCCESS, error_class;
  MPI_Request started = MPI_REQUEST_NULL;
  for (int i = 0; i < kMostBlocks; ++i) counts[i] = n, places[i] = n * i;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // Open MPI reports some there
  int* const m = memory;
  const MPI_Datatype t = MPI_INT;
  switch (draw(&state) % 10) {
    case 0: code = MPI_Alltoall(m, n, t, m, n, t, comm); break;
    case 1: code = MPI_Ialltoall(m, n, t, m, n, t, comm, &started); break;
    case 2: code = MPI_Alltoallv(m, counts, places, t, m, counts, places, t, comm); break;
    case 3: code = MPI_Allreduce(m, m, n, t, MPI_SUM, comm); break;
    case 4: code = MPI_Iallreduce(m, m, n, t, MPI_SUM, comm, &started); break;
    case 5: code = MPI_Scan(m, m, n, t, MPI_SUM, comm); break;
    case 6: code = MPI_Iexscan(m, m, n, t, MPI_SUM, comm, &started); break;
    case 7: code = MPI_Reduce_scatter_block(m, m, n, t, MPI_SUM, comm); break;
    case 8: code = MPI_Ireduce_scatter(m, m, counts, t, MPI_SUM, comm, &started); break;
    default: code = MPI_Ialltoallv(m, counts, places, t, m, counts, places, t, comm, &started);
  }
  if (code == MPI_SUCCESS && started != MPI_REQUEST_NULL) code = MPI_Wait(&started, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Error_class(code, &error_class);
  return (uint64_t)error_class;
}
