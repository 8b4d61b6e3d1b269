// SPDX-License-Identifier: BSD-3-Clause
// MPI's collectives by name, and what sets them apart.
#pragma once

// Ranges of them have something in common: see below.
#define COLLECTIVES(X)                         \
  X(kBarrier, barrier)                         \
  X(kBcast, bcast)                             \
  X(kGather, gather)                           \
  X(kGatherv, gatherv)                         \
  X(kScatter, scatter)                         \
  X(kScatterv, scatterv)                       \
  X(kAllgather, allgather)                     \
  X(kAllgatherv, allgatherv)                   \
  X(kAlltoall, alltoall)                       \
  X(kAlltoallv, alltoallv)                     \
  X(kAlltoallw, alltoallw)                     \
  X(kNeighborAllgather, neighbor_allgather)    \
  X(kNeighborAllgatherv, neighbor_allgatherv)  \
  X(kNeighborAlltoall, neighbor_alltoall)      \
  X(kNeighborAlltoallv, neighbor_alltoallv)    \
  X(kNeighborAlltoallw, neighbor_alltoallw)    \
  X(kReduce, reduce)                           \
  X(kAllreduce, allreduce)                     \
  X(kReduceScatterBlock, reduce_scatter_block) \
  X(kReduceScatter, reduce_scatter)            \
  X(kScan, scan)                               \
  X(kExscan, exscan)

#define NUMBERED(number, name) number,
typedef enum { COLLECTIVES(NUMBERED) kCollectives } Collective;

#define NAMED(number, name) #name,
static const char* const collective_names[] = {COLLECTIVES(NAMED)};

static inline int is_v(Collective c) {
  return c == kGatherv || c == kScatterv || c == kAllgatherv || c == kAlltoallv || c == kAlltoallw ||
         c == kNeighborAllgatherv || c == kNeighborAlltoallv || c == kNeighborAlltoallw;
}
static inline int is_w(Collective c) { return c == kAlltoallw || c == kNeighborAlltoallw; }
static inline int is_neighborly(Collective c) { return c >= kNeighborAllgather && c <= kNeighborAlltoallw; }
static inline int is_reduction(Collective c) { return c >= kReduce && c <= kExscan; }
static inline int is_rooted(Collective c) { return (c >= kBcast && c <= kScatterv) || c == kReduce; }
static inline int scatters(Collective c) { return c == kScatter || c == kScatterv; }
static inline int gathers(Collective c) { return c == kGather || c == kGatherv; }
static inline int goes_to_all(Collective c) {
  return c == kAllgather || c == kAllgatherv || c == kNeighborAllgather || c == kNeighborAllgatherv;
}
