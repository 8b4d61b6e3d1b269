// SPDX-License-Identifier: BSD-3-Clause
// MPI's collectives by name, and what sets them apart.
#pragma once

typedef enum {
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kReduce,
  kAllreduce,
  kReduceScatterBlock,
  kReduceScatter,
  kScan,
  kExscan,
  kCollectives
} Collective;

static const char* const collective_names[] = {"barrier",
                                               "bcast",
                                               "gather",
                                               "gatherv",
                                               "scatter",
                                               "scatterv",
                                               "allgather",
                                               "allgatherv",
                                               "alltoall",
                                               "alltoallv",
                                               "alltoallw",
                                               "neighbor_allgather",
                                               "neighbor_allgatherv",
                                               "neighbor_alltoall",
                                               "neighbor_alltoallv",
                                               "neighbor_alltoallw",
                                               "reduce",
                                               "allreduce",
                                               "reduce_scatter_block",
                                               "reduce_scatter",
                                               "scan",
                                               "exscan"};

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
