// SPDX-License-Identifier: BSD-3-Clause
// Catalog: the list of all algorithms, in the order in which tables show them. A line declares the card at
// the end of <collective>/<idea>.cpp and puts it into the catalog; algorithms that are made of others find
// them here.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "algorithm/algorithm.hpp"
#include "base/result.hpp"

// Where blocks have sizes of their own, messages and a node's memory carry them (alltoallv/).
#define WEFT_TWO_CARDS(CARD, collective) CARD(collective, linear) CARD(collective, delivery)
#define WEFT_CARDS(CARD)                        \
  CARD(barrier, dissemination)                  \
  CARD(barrier, k_nomial)                       \
  CARD(barrier, recursive_k_ing)                \
  CARD(barrier, exchange)                       \
  CARD(barrier, hierarchical)                   \
  CARD(bcast, k_nomial)                         \
  CARD(bcast, n_ary_tree)                       \
  CARD(bcast, chain)                            \
  CARD(bcast, scatter_allgather)                \
  CARD(bcast, fan_out)                          \
  CARD(bcast, pipeline)                         \
  CARD(bcast, single_copy)                      \
  CARD(bcast, hierarchical)                     \
  CARD(bcast, multi_leader)                     \
  CARD(allgather, ring)                         \
  CARD(allgather, recursive_doubling)           \
  CARD(allgather, bruck)                        \
  CARD(allgather, exchange)                     \
  CARD(allgather, fragments)                    \
  CARD(allgather, single_copy)                  \
  CARD(allgather, hierarchical)                 \
  CARD(allgather, multi_leader)                 \
  CARD(alltoall, pairwise)                      \
  CARD(alltoall, scattered)                     \
  CARD(alltoall, bruck)                         \
  CARD(alltoall, exchange)                      \
  CARD(alltoall, fragments)                     \
  CARD(alltoall, single_copy)                   \
  CARD(alltoall, hierarchical)                  \
  CARD(gather, k_nomial)                        \
  CARD(gather, linear)                          \
  CARD(gather, fan_in)                          \
  CARD(gather, fragments)                       \
  CARD(gather, single_copy)                     \
  CARD(scatter, k_nomial)                       \
  CARD(scatter, linear)                         \
  CARD(scatter, fan_out)                        \
  CARD(scatter, fragments)                      \
  CARD(scatter, single_copy)                    \
  CARD(reduce, n_ary_tree)                      \
  CARD(reduce, k_nomial)                        \
  CARD(reduce, reduce_scatter_gather)           \
  CARD(reduce, fan_in)                          \
  CARD(reduce, parts)                           \
  CARD(reduce, single_copy)                     \
  CARD(reduce, hierarchical)                    \
  CARD(reduce, multi_leader)                    \
  CARD(allreduce, recursive_k_ing)              \
  CARD(allreduce, ring)                         \
  CARD(allreduce, reduce_scatter_allgather)     \
  CARD(allreduce, n_ary_tree)                   \
  CARD(allreduce, k_nomial)                     \
  CARD(allreduce, exchange)                     \
  CARD(allreduce, parts)                        \
  CARD(allreduce, single_copy)                  \
  CARD(allreduce, hierarchical)                 \
  CARD(allreduce, multi_leader)                 \
  CARD(allreduce, gathered)                     \
  CARD(reduce_scatter_block, recursive_halving) \
  CARD(reduce_scatter_block, pairwise)          \
  CARD(reduce_scatter_block, ring)              \
  CARD(reduce_scatter_block, exchange)          \
  CARD(reduce_scatter_block, fragments)         \
  CARD(scan, recursive_doubling)                \
  CARD(scan, chain)                             \
  CARD(scan, exchange)                          \
  CARD(scan, parts)                             \
  CARD(exscan, recursive_doubling)              \
  CARD(exscan, chain)                           \
  CARD(exscan, exchange)                        \
  CARD(exscan, parts)                           \
  CARD(reduce_scatter, recursive_halving)       \
  CARD(reduce_scatter, pairwise)                \
  CARD(reduce_scatter, ring)                    \
  CARD(reduce_scatter, exchange)                \
  CARD(reduce_scatter, fragments)               \
  CARD(allgatherv, ring)                        \
  CARD(allgatherv, bruck)                       \
  CARD(allgatherv, recursive_doubling)          \
  CARD(allgatherv, fragments)                   \
  WEFT_TWO_CARDS(CARD, allgatherv)              \
  WEFT_TWO_CARDS(CARD, gatherv)                 \
  WEFT_TWO_CARDS(CARD, scatterv)                \
  WEFT_TWO_CARDS(CARD, alltoallv)               \
  WEFT_TWO_CARDS(CARD, alltoallw)               \
  WEFT_TWO_CARDS(CARD, neighbor_allgather)      \
  WEFT_TWO_CARDS(CARD, neighbor_allgatherv)     \
  WEFT_TWO_CARDS(CARD, neighbor_alltoall)       \
  WEFT_TWO_CARDS(CARD, neighbor_alltoallv)      \
  WEFT_TWO_CARDS(CARD, neighbor_alltoallw)

namespace weft {

#define WEFT_DECLARE_CARD(collective, idea) \
  namespace collective {                    \
  extern const Algorithm idea;              \
  }
WEFT_CARDS(WEFT_DECLARE_CARD)
#undef WEFT_DECLARE_CARD

std::span<const std::reference_wrapper<const Algorithm>> catalog();

// The entry, or an error that lists the names there are.
Result<const Algorithm*> find_algorithm(Collective collective, std::string_view name);

}  // namespace weft
