// SPDX-License-Identifier: BSD-3-Clause
#include "forms.h"

#include <stdio.h>
#include <string.h>

#include "ring.h"

// Where the host's MPI has persistent collectives: in the standard, or as Open MPI 4's extension.
#if MPI_VERSION >= 4
#define BENCH_HAS_PERSISTENT 1
#define INIT(Name) MPI_##Name##_init
#elif defined(OPEN_MPI)
#include <mpi-ext.h>
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define BENCH_HAS_PERSISTENT 1
#define INIT(Name) MPIX_##Name##_init
#endif
#endif

// name, Name, blocks going in and coming out, arguments of the blocking form. Broadcast works in its output.
#define COLLECTIVES(X)                                                                                       \
  X(barrier, Barrier, kNone, kNone, comm)                                                                    \
  X(bcast, Bcast, kNone, kOne, out, count, type, 0, comm)                                                    \
  X(gather, Gather, kOne, kPerRank, in, count, type, out, count, type, 0, comm)                              \
  X(gatherv, Gatherv, kOne, kPerRank, in, count, type, out, counts, places, type, 0, comm)                   \
  X(scatter, Scatter, kPerRank, kOne, in, count, type, out, count, type, 0, comm)                            \
  X(scatterv, Scatterv, kPerRank, kOne, in, counts, places, type, out, count, type, 0, comm)                 \
  X(allgather, Allgather, kOne, kPerRank, in, count, type, out, count, type, comm)                           \
  X(allgatherv, Allgatherv, kOne, kPerRank, in, count, type, out, counts, places, type, comm)                \
  X(alltoall, Alltoall, kPerRank, kPerRank, in, count, type, out, count, type, comm)                         \
  X(alltoallv, Alltoallv, kPerRank, kPerRank, in, counts, places, type, out, counts, places, type, comm)     \
  X(alltoallw, Alltoallw, kPerRank, kPerRank, in, counts, offsets, types, out, counts, offsets, types, comm) \
  X(reduce, Reduce, kOne, kOne, in, out, count, type, MPI_SUM, 0, comm)                                      \
  X(allreduce, Allreduce, kOne, kOne, in, out, count, type, MPI_SUM, comm)                                   \
  X(reduce_scatter, Reduce_scatter, kPerRank, kOne, in, out, counts, type, MPI_SUM, comm)                    \
  X(reduce_scatter_block, Reduce_scatter_block, kPerRank, kOne, in, out, count, type, MPI_SUM, comm)         \
  X(scan, Scan, kOne, kOne, in, out, count, type, MPI_SUM, comm)                                             \
  X(exscan, Exscan, kOne, kOne, in, out, count, type, MPI_SUM, comm)                                         \
  X(neighbor_allgather, Neighbor_allgather, kOne, kPerNeighbour, in, count, type, out, count, type, comm)    \
  X(neighbor_allgatherv, Neighbor_allgatherv, kOne, kPerNeighbour, in, count, type, out, counts, places,     \
    type, comm)                                                                                              \
  X(neighbor_alltoall, Neighbor_alltoall, kPerNeighbour, kPerNeighbour, in, count, type, out, count, type,   \
    comm)                                                                                                    \
  X(neighbor_alltoallv, Neighbor_alltoallv, kPerNeighbour, kPerNeighbour, in, counts, places, type, out,     \
    counts, places, type, comm)                                                                              \
  X(neighbor_alltoallw, Neighbor_alltoallw, kPerNeighbour, kPerNeighbour, in, counts, addresses, types, out, \
    counts, addresses, types, comm)

// The names that the arguments above are written with.
#define ARGUMENTS                                                                                           \
  const void* const in = c->in[buffer];                                                                     \
  void* const out = c->out[buffer];                                                                         \
  const int count = c->count, *const counts = c->counts, *const places = c->displacements;                  \
  const int* const offsets = c->byte_displacements;                                                         \
  const MPI_Aint* const addresses = c->addresses;                                                           \
  const MPI_Datatype type = c->type, *const types = c->types;                                               \
  const MPI_Comm comm = c->comm;                                                                            \
  (void)in, (void)out, (void)count, (void)counts, (void)places, (void)offsets, (void)addresses, (void)type, \
      (void)types

#define DEFINE_FORMS(name, Name, inputs, outputs, ...)                                     \
  static void run_##name(const struct collective* c, int buffer) {                         \
    ARGUMENTS;                                                                             \
    MPI_##Name(__VA_ARGS__);                                                               \
  }                                                                                        \
  static void start_##name(const struct collective* c, int buffer, MPI_Request* request) { \
    ARGUMENTS;                                                                             \
    MPI_I##name(__VA_ARGS__, request);                                                     \
  }                                                                                        \
  DEFINE_INIT(name, Name, __VA_ARGS__)

#ifdef BENCH_HAS_PERSISTENT
#define DEFINE_INIT(name, Name, ...)                                                      \
  static void init_##name(const struct collective* c, int buffer, MPI_Request* request) { \
    ARGUMENTS;                                                                            \
    INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, request);                                      \
  }
#define INIT_OF(name) init_##name
#else
#define DEFINE_INIT(name, Name, ...)
#define INIT_OF(name) NULL
#endif

COLLECTIVES(DEFINE_FORMS)

#define LIST(name, Name, inputs, outputs, ...) \
  {#name, inputs, outputs, run_##name, start_##name, INIT_OF(name), 1},
static const struct operations kOperations[] = {
    COLLECTIVES(LIST)  //
    {"sendrecv", kOne, kOne, run_sendrecv, NULL, NULL, 0},
    {"isend", kOne, kOne, NULL, start_isend, NULL, 2},
    {"put", kOne, kOne, run_put, NULL, NULL, 0},
    {"iput", kOne, kOne, NULL, start_put, NULL, 0},
};

const struct operations* operations_find(const char* name, enum form* form, const char** why) {
  static char wanted[40];
  const size_t length = strlen(name);
  *why = "there is no such collective";
  for (size_t i = 0; i < sizeof kOperations / sizeof *kOperations; ++i) {
    const struct operations* o = &kOperations[i];
    const char* forms[] = {"%s", "i%s", "%s_init"};
    for (int f = kBlocking; f <= kPersistent; ++f) {
      if (o->run == NULL || o->start == NULL) {  // what is no collective has the one form that its name says
        if (strcmp(name, o->name) != 0) continue;
        *form = o->run != NULL ? kBlocking : kNonblocking;
        return o;
      }
      snprintf(wanted, sizeof wanted, forms[f], o->name);
      if (length >= sizeof wanted || strcmp(name, wanted) != 0) continue;
      *form = (enum form)f;
      if (f != kPersistent || o->init != NULL) return o;
      *why = "this MPI has no persistent collectives";
    }
  }
  return NULL;
}
