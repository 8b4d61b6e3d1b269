// SPDX-License-Identifier: BSD-3-Clause
// The catalog: where blocks differ in size.
#pragma once

#include "algorithm/entries/common.hpp"

namespace weft::entries {

constexpr Algorithm linear(Collective collective) {
  return {
      .collective = collective,
      .name = "linear",
      .summary = "every block straight to its receiver, at most w at a time",
      .formula = "(n-1)/w (L + 2o) + (n-1) m G",
      .source = "LibNBC, section 3: one round of messages",
      .has_window = true,
      .eligible = always,
      .build = alltoallv::linear,
      .cost = card<alltoallv::linear_cost>,
  };
}

inline constexpr std::array kParcels = {
    Algorithm{
        .collective = Collective::kReduceScatter,
        .name = "recursive_halving",
        .summary = "half of the ranks give the other half what is for it, added up; then within halves",
        .formula = "ceil(log_2 n) (L + 2o) + m (G + g)",
        .source = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
        .eligible = if_commutative,
        .build = reduce_scatter::recursive_halving,
        .cost = card<reduce_scatter::recursive_halving_cost>,
    },
    Algorithm{
        .collective = Collective::kReduceScatter,
        .name = "pairwise",
        .summary = "every block straight to the rank that gets its sum, which adds in rank order",
        .formula = "L + 2o + m (G + g)",
        .source = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
        .eligible = always,
        .build = reduce_scatter::pairwise,
        .cost = card<reduce_scatter::pairwise_cost>,
    },
    Algorithm{
        .collective = Collective::kReduceScatter,
        .name = "ring",
        .summary = "every block goes around once and is added up on its way",
        .formula = "(n-1) (L + 2o) + m (G + g)",
        .source = "Patarasuk, Yuan 2009, section 3",
        .eligible = if_commutative,
        .build = reduce_scatter::ring,
        .cost = card<reduce_scatter::ring_cost>,
    },
    Algorithm{
        .collective = Collective::kReduceScatter,
        .name = "exchange",
        .summary = "within a node: everybody combines its block of the vectors that all have left",
        .formula = "l + m c + (n-1) m (c + g)",
        .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
        .within_node = true,
        .eligible = always,
        .build = reduce_scatter::exchange,
        .cost = card<reduce_scatter::exchange_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgatherv,
        .name = "ring",
        .summary = "every block goes around once, from neighbour to neighbour",
        .formula = "(n-1) (L + 2o) + m G",
        .source = "Chan, Heimlich, Purkayastha, van de Geijn 2007, section 4.2",
        .eligible = always,
        .build = allgatherv::ring,
        .cost = card<allgatherv::ring_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgatherv,
        .name = "bruck",
        .summary = "hand on the first blocks that came, to k^i ranks before",
        .formula = "ceil(log_k n) (L + 2o) + m G",
        .source = "Bruck et al. 1997, section 4",
        .has_radix = true,
        .eligible = always,
        .build = allgatherv::bruck,
        .cost = card<allgatherv::bruck_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgatherv,
        .name = "recursive_doubling",
        .summary = "pairs exchange all they have, at distance 1, 2, 4, …; extra ranks through proxies",
        .formula = "(floor(log_2 n) + 2 [n != 2^i]) (L + 2o) + (1 + [n != 2^i]) m G",
        .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
        .eligible = always,
        .build = allgatherv::recursive_doubling,
        .cost = card<allgatherv::recursive_doubling_cost>,
    },
    linear(Collective::kAllgatherv),
    // Nobody knows the sizes of all blocks: these have but one way.
    linear(Collective::kGatherv),
    linear(Collective::kScatterv),
    linear(Collective::kAlltoallv),
    linear(Collective::kAlltoallw),
    linear(Collective::kNeighborAllgather),
    linear(Collective::kNeighborAllgatherv),
    linear(Collective::kNeighborAlltoall),
    linear(Collective::kNeighborAlltoallv),
    linear(Collective::kNeighborAlltoallw),
};

}  // namespace weft::entries
