// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter as a reduce_scatter_block of blocks of different sizes.
#include "algorithm/catalog.hpp"
#include "algorithm/pattern/uneven_blocks.hpp"

namespace weft::reduce_scatter {

namespace {

template <const Algorithm& kEven>
void build_uneven(Builder& b, const Parameters& parameters) {
  build_with_blocks(b, kEven, parameters, b.parcels().outgoing, b.contribution(), b.output());
}

// Upper bounds for blocks of any size: around the ring and pair by pair every block is sent and combined at
// most once. Halving gives and gets half after half of what is left, at most two halves at a time.
Cost ring_cost(const Call& call, const Parameters& parameters) {
  Cost cost = reduce_scatter_block::ring.cost(call, parameters);
  cost.sent = cost.reduced = call.bytes;
  return cost;
}
Cost pairwise_cost(const Call& call, const Parameters& parameters) {
  Cost cost = reduce_scatter_block::pairwise.cost(call, parameters);
  cost.sent = call.bytes;
  cost.reduced = call.bytes * (call.rank_count - 1);
  return cost;
}
Cost recursive_halving_cost(const Call& call, const Parameters& parameters) {
  Cost cost = reduce_scatter_block::recursive_halving.cost(call, parameters);
  cost.sent = call.bytes;
  cost.reduced = call.bytes * 2 * cost.messages;
  return cost;
}
Cost exchange_cost(const Call& call, const Parameters&) {
  return {.reduced = call.bytes * (call.rank_count - 1)};
}

}  // namespace

extern constinit const Algorithm recursive_halving{
    .collective = Collective::kReduceScatter,
    .name = "recursive_halving",
    .summary = "half of the ranks give the other half what is for it, added up; then within halves",
    .formula = "ceil(log_2 n) (L + 2o) + m (G + g)",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .eligible = if_commutative,
    .build = build_uneven<reduce_scatter_block::recursive_halving>,
    .cost = recursive_halving_cost,
};

extern constinit const Algorithm pairwise{
    .collective = Collective::kReduceScatter,
    .name = "pairwise",
    .summary = "every block straight to the rank that gets its sum, which adds in rank order",
    .formula = "L + 2o + m (G + g)",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .build = build_uneven<reduce_scatter_block::pairwise>,
    .cost = pairwise_cost,
};

extern constinit const Algorithm ring{
    .collective = Collective::kReduceScatter,
    .name = "ring",
    .summary = "every block goes around once and is added up on its way",
    .formula = "(n-1) (L + 2o) + m (G + g)",
    .source = "Patarasuk, Yuan 2009, section 3",
    .eligible = if_commutative,
    .build = build_uneven<reduce_scatter_block::ring>,
    .cost = ring_cost,
};

extern constinit const Algorithm exchange{
    .collective = Collective::kReduceScatter,
    .name = "exchange",
    .summary = "within a node: everybody combines its block of the vectors that all have left",
    .formula = "l + m c + (n-1) m (c + g)",
    .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
    .within_node = true,
    .scales = always,
    .build = build_uneven<reduce_scatter_block::exchange>,
    .cost = exchange_cost,
};

extern constinit const Algorithm fragments{
    .collective = Collective::kReduceScatter,
    .name = "fragments",
    .summary = "within a node, long: fragment by fragment, everybody combines its own of what all left",
    .formula = "l m/f + m (2 c + g)",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_uneven<reduce_scatter_block::fragments>,
    .cost = exchange_cost,
};

}  // namespace weft::reduce_scatter
