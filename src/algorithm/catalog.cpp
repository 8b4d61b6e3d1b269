// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/catalog.hpp"

#include <array>

#include "algorithm/builders.hpp"
#include "algorithm/pattern/single_copy.hpp"
#include "algorithm/tiers.hpp"

namespace weft {

namespace {

bool always(const Call&) { return true; }
bool if_commutative(const Call& call) { return call.commutative; }

template <Cost (*kCost)(const Call&, const Parameters&)>
Cost card(const Call& call, const Parameters& parameters) {
  return nothing_travels(call) ? Cost{} : kCost(call, parameters);
}

// n ranks, m bytes (one rank's block), radix k; L + 2o: a message's latency; G, g: to send, to reduce a byte.
// Tiers: n_t members of a group of tier t, T tiers in memory, n_0 ranks of a node.
// Within a node: l: a line's way from core to core; c: to copy a byte, to or from shared memory or another
// rank; f: a fragment's bytes.
constexpr std::array kCatalog = {
    Algorithm{
        .collective = Collective::kBarrier,
        .name = "dissemination",
        .summary = "tell the ranks at distance 1, k, k^2, …; leave when told by as many",
        .formula = "ceil(log_k n) (L + 2o)",
        .source = "Hensgen, Finkel, Manber 1988, section 3",
        .has_radix = true,
        .eligible = always,
        .build = barrier::dissemination,
        .cost = card<barrier::dissemination_cost>,
    },
    Algorithm{
        .collective = Collective::kBarrier,
        .name = "exchange",
        .summary = "within a node: say so in a line of one's own, leave when all lines say so",
        .formula = "l + (n-1) c",
        .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
        .within_node = true,
        .eligible = always,
        .build = barrier::exchange,
        .cost = card<barrier::exchange_cost>,
    },
    Algorithm{
        .collective = Collective::kBarrier,
        .name = "hierarchical",
        .summary = "arrivals climb to representatives, these meet, and the news comes down",
        .formula = "T l + sum over tiers t of messages: ceil(log_k n_t) (L + 2o), twice below the last",
        .source = "Graham et al. 2011, hierarchical barrier",
        .has_radix = true,
        .follows_hierarchy = true,
        .eligible = always,
        .build = barrier::hierarchical,
        .cost = card<barrier::hierarchical_cost>,
    },
    Algorithm{
        .collective = Collective::kBcast,
        .name = "k_nomial",
        .summary = "whoever has the message gives it to k - 1 others per round",
        .formula = "ceil(log_k n) (L + 2o + (k-1) m G)",
        .source = "LibNBC, figure 1 (k = 2)",
        .has_radix = true,
        .eligible = always,
        .build = bcast::k_nomial,
        .cost = card<bcast::k_nomial_cost>,
    },
    Algorithm{
        .collective = Collective::kBcast,
        .name = "fan_out",
        .summary = "within a node: everybody takes the message from where the root left it",
        .formula = "l + m (2 c)",
        .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
        .within_node = true,
        .eligible = always,
        .build = bcast::fan_out,
        .cost = card<bcast::fan_out_cost>,
    },
    Algorithm{
        .collective = Collective::kBcast,
        .name = "pipeline",
        .summary = "within a node, long: the root leaves a fragment while the others take the one before",
        .formula = "(l + f c) + m c",
        .source = "Open MPI xhc: fragments through memory that stays in the caches",
        .within_node = true,
        .has_fragments = true,
        .eligible = always,
        .build = bcast::pipeline,
        .cost = card<bcast::pipeline_cost>,
    },
    Algorithm{
        .collective = Collective::kBcast,
        .name = "single_copy",
        .summary =
            "within a node, long: the others read most of it from the root, who writes the rest to them",
        .formula = "2 l + (n-1)/n m c",
        .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
        .within_node = true,
        .single_copy = true,
        .eligible = can_expose_all,
        .build = bcast::single_copy,
        .cost = card<bcast::single_copy_cost>,
    },
    Algorithm{
        .collective = Collective::kBcast,
        .name = "hierarchical",
        .summary = "down from the root to the representatives of nodes, which hand out",
        .formula = "sum over tiers t of messages: ceil(log_k n_t) (L + 2o + (k-1) m G); then l + m (2 c)",
        .source = "Graham et al. 2011; Cheetah 2013, section III",
        .has_radix = true,
        .follows_hierarchy = true,
        .eligible = always,
        .build = bcast::hierarchical,
        .cost = card<bcast::hierarchical_cost>,
    },
    Algorithm{
        .collective = Collective::kReduce,
        .name = "n_ary_tree",
        .summary = "up a tree of ranges of ranks, k children each",
        .formula = "ceil(log_k n) (L + 2o + k m (G + g))",
        .source = "Cheetah 2013, section V",
        .has_radix = true,
        .eligible = always,
        .build = reduce::n_ary_tree,
        .cost = card<reduce::n_ary_tree_cost>,
    },
    Algorithm{
        .collective = Collective::kReduce,
        .name = "fan_in",
        .summary = "within a node: the root combines what everybody left for it",
        .formula = "l + m c + (n-1) m (c + g)",
        .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
        .within_node = true,
        .eligible = always,
        .build = reduce::fan_in,
        .cost = card<reduce::fan_in_cost>,
    },
    Algorithm{
        .collective = Collective::kReduce,
        .name = "parts",
        .summary = "within a node, long: every rank combines its part of each fragment, the root takes all",
        .formula = "l m/f + m c + (n-1)/n m (c + g)",
        .source = "Open MPI xhc: fragments through memory that stays in the caches",
        .within_node = true,
        .has_fragments = true,
        .eligible = always,
        .build = reduce::parts,
        .cost = card<reduce::parts_cost>,
    },
    Algorithm{
        .collective = Collective::kReduce,
        .name = "single_copy",
        .summary = "within a node, long: every rank combines its part out of all buffers into the root's",
        .formula = "2 l + (n-1)/n m (c + g) + m/n c",
        .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
        .within_node = true,
        .has_fragments = true,
        .single_copy = true,
        .eligible = can_expose_all,
        .build = reduce::single_copy,
        .cost = card<reduce::single_copy_cost>,
    },
    Algorithm{
        .collective = Collective::kReduce,
        .name = "hierarchical",
        .summary = "contributions climb tier by tier, and the root represents what it is in",
        .formula =
            "sum over tiers t: (l + m c + (n_t-1) m (c + g)) or ceil(log_k n_t) (L + 2o + k m (G + g))",
        .source = "Cheetah 2013, section V",
        .has_radix = true,
        .follows_hierarchy = true,
        .eligible = always,
        .build = reduce::hierarchical,
        .cost = card<reduce::hierarchical_cost>,
    },
    Algorithm{
        .collective = Collective::kAllreduce,
        .name = "recursive_k_ing",
        .summary = "exchange in aligned groups of k, then of groups; extra ranks through proxies",
        .formula = "(floor(log_k n) + 2 [n != k^i]) (L + 2o + (k-1) m (G + g))",
        .source = "Cheetah 2013, section IV",
        .has_radix = true,
        .eligible = always,
        .build = allreduce::recursive_k_ing,
        .cost = card<allreduce::recursive_k_ing_cost>,
    },
    Algorithm{
        .collective = Collective::kAllreduce,
        .name = "ring",
        .summary = "n blocks go around once to be added up and once to be handed out",
        .formula = "2 (n-1) (L + 2o + m/n G) + (n-1) m/n g",
        .source = "Patarasuk, Yuan 2009, section 3",
        .eligible = if_commutative,
        .build = allreduce::ring,
        .cost = card<allreduce::ring_cost>,
    },
    Algorithm{
        .collective = Collective::kAllreduce,
        .name = "exchange",
        .summary = "within a node: everybody combines what everybody left",
        .formula = "l + m c + (n-1) m (c + g)",
        .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
        .within_node = true,
        .eligible = always,
        .build = allreduce::exchange,
        .cost = card<allreduce::exchange_cost>,
    },
    Algorithm{
        .collective = Collective::kAllreduce,
        .name = "parts",
        .summary = "within a node, long: every rank combines its part of each fragment for all",
        .formula = "l m/f + 2 m c + (n-1)/n m (c + g)",
        .source = "Open MPI xhc: fragments through memory that stays in the caches",
        .within_node = true,
        .has_fragments = true,
        .eligible = always,
        .build = allreduce::parts,
        .cost = card<allreduce::parts_cost>,
    },
    Algorithm{
        .collective = Collective::kAllreduce,
        .name = "single_copy",
        .summary = "within a node, long: every rank combines its part out of all buffers into all",
        .formula = "2 l + (n-1)/n m (2 c + g)",
        .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
        .within_node = true,
        .has_fragments = true,
        .single_copy = true,
        .eligible = can_expose_all,
        .build = allreduce::single_copy,
        .cost = card<allreduce::single_copy_cost>,
    },
    Algorithm{
        .collective = Collective::kAllreduce,
        .name = "hierarchical",
        .summary = "reduce to representatives, exchange between the last ones, hand out",
        .formula = "reduce over the tiers below + recursive k-ing of the n_T last + bcast down",
        .source = "Cheetah 2013, section IV",
        .has_radix = true,
        .follows_hierarchy = true,
        .eligible = always,
        .build = allreduce::hierarchical,
        .cost = card<allreduce::hierarchical_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgather,
        .name = "ring",
        .summary = "every block goes around once, from neighbour to neighbour",
        .formula = "(n-1) (L + 2o + m G)",
        .source = "Chan, Heimlich, Purkayastha, van de Geijn 2007, section 4.2",
        .eligible = always,
        .build = allgather::ring,
        .cost = card<allgather::ring_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgather,
        .name = "recursive_doubling",
        .summary = "pairs exchange all they have, at distance 1, 2, 4, …; extra ranks through proxies",
        .formula = "(floor(log_2 n) + 2 [n != 2^i]) (L + 2o) + (n-1 + n [n != 2^i]) m G",
        .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
        .eligible = always,
        .build = allgather::recursive_doubling,
        .cost = card<allgather::recursive_doubling_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgather,
        .name = "exchange",
        .summary = "within a node: everybody takes what everybody left",
        .formula = "l + n m c",
        .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
        .within_node = true,
        .eligible = always,
        .build = allgather::exchange,
        .cost = card<allgather::exchange_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgather,
        .name = "fragments",
        .summary = "within a node, long: fragment by fragment, everybody takes what everybody left",
        .formula = "l m/f + n m c",
        .source = "Open MPI xhc: fragments through memory that stays in the caches",
        .within_node = true,
        .has_fragments = true,
        .eligible = always,
        .build = allgather::fragments,
        .cost = card<allgather::fragments_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgather,
        .name = "single_copy",
        .summary = "within a node, long: everybody reads the blocks of all others where they are",
        .formula = "2 l + n m c",
        .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
        .within_node = true,
        .single_copy = true,
        .eligible = can_expose_all,
        .build = allgather::single_copy,
        .cost = card<allgather::single_copy_cost>,
    },
    Algorithm{
        .collective = Collective::kAllgather,
        .name = "hierarchical",
        .summary = "representatives collect the blocks of their node, exchange them, and hand out all",
        .formula = "l + n_0 m c + sum over tiers t of messages: log_2 n_t (L + 2o) + (n - n/n_t) m G; then l "
                   "+ 2 n m c",
        .source = "Graham et al. 2011; Thakur, Rabenseifner, Gropp 2005, section 4.1",
        .follows_hierarchy = true,
        .eligible = always,
        .build = allgather::hierarchical,
        .cost = card<allgather::hierarchical_cost>,
    },
    Algorithm{
        .collective = Collective::kAlltoall,
        .name = "pairwise",
        .summary = "every block straight to its receiver, nearest first",
        .formula = "L + 2o + (n-1) m G",
        .source = "Thakur, Rabenseifner, Gropp 2005, section 4.3",
        .eligible = always,
        .build = alltoall::pairwise,
        .cost = card<alltoall::pairwise_cost>,
    },
    Algorithm{
        .collective = Collective::kAlltoall,
        .name = "exchange",
        .summary = "within a node: everybody takes its blocks from what everybody left",
        .formula = "l + 2 n m c",
        .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
        .within_node = true,
        .eligible = always,
        .build = alltoall::exchange,
        .cost = card<alltoall::exchange_cost>,
    },
    Algorithm{
        .collective = Collective::kAlltoall,
        .name = "fragments",
        .summary = "within a node, long: fragment by fragment, everybody takes its own",
        .formula = "l m/f + 2 n m c",
        .source = "Open MPI xhc: fragments through memory that stays in the caches",
        .within_node = true,
        .has_fragments = true,
        .eligible = always,
        .build = alltoall::fragments,
        .cost = card<alltoall::fragments_cost>,
    },
    Algorithm{
        .collective = Collective::kAlltoall,
        .name = "single_copy",
        .summary = "within a node, long: everybody reads its blocks where the others have them",
        .formula = "2 l + n m c",
        .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
        .within_node = true,
        .single_copy = true,
        .eligible = can_expose_all,
        .build = alltoall::single_copy,
        .cost = card<alltoall::single_copy_cost>,
    },
    Algorithm{
        .collective = Collective::kAlltoall,
        .name = "hierarchical",
        .summary = "blocks for the same node travel together",
        .formula = "2 l + 4 n m c + L + 2o + n_0 (n - n_0) m G",
        .source = "Graham et al. 2011; Thakur, Rabenseifner, Gropp 2005, section 4.3",
        .follows_hierarchy = true,
        .eligible = always,
        .build = alltoall::hierarchical,
        .cost = card<alltoall::hierarchical_cost>,
    },
};

}  // namespace

std::span<const Algorithm> catalog() { return kCatalog; }

Result<const Algorithm*> find_algorithm(Collective collective, std::string_view name) {
  std::string known;
  for (const Algorithm& algorithm : kCatalog) {
    if (algorithm.collective != collective) continue;
    if (algorithm.name == name) return &algorithm;
    known += (known.empty() ? "" : ", ") + std::string(algorithm.name);
  }
  const std::string of(name_of(collective));
  return Error{of + " has no algorithm \"" + std::string(name) + "\": choose one of " + known};
}

}  // namespace weft
