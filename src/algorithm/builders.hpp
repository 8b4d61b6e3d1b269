// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm's two functions: the one that writes a rank's schedule, and the one that prices it. Each
// pair is defined in <collective>/<idea>.cpp and listed in entries/.
//
// Builders are called for at least two ranks and, but for the barrier, at least one byte; where ranks have
// parcels, whose sizes others do not know, they are always called. Costs are exact for the busiest rank, and
// never below the longest path in rounds: a property test compares both. Over a hierarchy, and with parcels,
// they are never below either; over a hierarchy exact where all groups of a tier are of one size.
#pragma once

#include "algorithm/catalog.hpp"

namespace weft {

namespace barrier {
void dissemination(Builder& builder, const Parameters& parameters);
Cost dissemination_cost(const Call& call, const Parameters& parameters);
void recursive_k_ing(Builder& builder, const Parameters& parameters);
Cost recursive_k_ing_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
void hierarchical(Builder& builder, const Parameters& parameters);
Cost hierarchical_cost(const Call& call, const Parameters& parameters);
}  // namespace barrier

namespace bcast {
void k_nomial(Builder& builder, const Parameters& parameters);
Cost k_nomial_cost(const Call& call, const Parameters& parameters);
void n_ary_tree(Builder& builder, const Parameters& parameters);
Cost n_ary_tree_cost(const Call& call, const Parameters& parameters);
void chain(Builder& builder, const Parameters& parameters);
Cost chain_cost(const Call& call, const Parameters& parameters);
void scatter_allgather(Builder& builder, const Parameters& parameters);
Cost scatter_allgather_cost(const Call& call, const Parameters& parameters);
void fan_out(Builder& builder, const Parameters& parameters);
Cost fan_out_cost(const Call& call, const Parameters& parameters);
void pipeline(Builder& builder, const Parameters& parameters);
Cost pipeline_cost(const Call& call, const Parameters& parameters);
void single_copy(Builder& builder, const Parameters& parameters);
Cost single_copy_cost(const Call& call, const Parameters& parameters);
void hierarchical(Builder& builder, const Parameters& parameters);
Cost hierarchical_cost(const Call& call, const Parameters& parameters);
void multi_leader(Builder& builder, const Parameters& parameters);
Cost multi_leader_cost(const Call& call, const Parameters& parameters);
}  // namespace bcast

namespace reduce {
void n_ary_tree(Builder& builder, const Parameters& parameters);
Cost n_ary_tree_cost(const Call& call, const Parameters& parameters);
void k_nomial(Builder& builder, const Parameters& parameters);
Cost k_nomial_cost(const Call& call, const Parameters& parameters);
void reduce_scatter_gather(Builder& builder, const Parameters& parameters);
Cost reduce_scatter_gather_cost(const Call& call, const Parameters& parameters);
void fan_in(Builder& builder, const Parameters& parameters);
Cost fan_in_cost(const Call& call, const Parameters& parameters);
void parts(Builder& builder, const Parameters& parameters);
Cost parts_cost(const Call& call, const Parameters& parameters);
void single_copy(Builder& builder, const Parameters& parameters);
Cost single_copy_cost(const Call& call, const Parameters& parameters);
void hierarchical(Builder& builder, const Parameters& parameters);
Cost hierarchical_cost(const Call& call, const Parameters& parameters);
void multi_leader(Builder& builder, const Parameters& parameters);
Cost multi_leader_cost(const Call& call, const Parameters& parameters);
}  // namespace reduce

namespace allreduce {
void recursive_k_ing(Builder& builder, const Parameters& parameters);
Cost recursive_k_ing_cost(const Call& call, const Parameters& parameters);
void ring(Builder& builder, const Parameters& parameters);
Cost ring_cost(const Call& call, const Parameters& parameters);
void reduce_scatter_allgather(Builder& builder, const Parameters& parameters);
Cost reduce_scatter_allgather_cost(const Call& call, const Parameters& parameters);
void n_ary_tree(Builder& builder, const Parameters& parameters);
Cost n_ary_tree_cost(const Call& call, const Parameters& parameters);
void k_nomial(Builder& builder, const Parameters& parameters);
Cost k_nomial_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
void parts(Builder& builder, const Parameters& parameters);
Cost parts_cost(const Call& call, const Parameters& parameters);
void single_copy(Builder& builder, const Parameters& parameters);
Cost single_copy_cost(const Call& call, const Parameters& parameters);
void hierarchical(Builder& builder, const Parameters& parameters);
Cost hierarchical_cost(const Call& call, const Parameters& parameters);
void gathered(Builder& builder, const Parameters& parameters);
Cost gathered_cost(const Call& call, const Parameters& parameters);
void multi_leader(Builder& builder, const Parameters& parameters);
Cost multi_leader_cost(const Call& call, const Parameters& parameters);
}  // namespace allreduce

namespace allgather {
void ring(Builder& builder, const Parameters& parameters);
Cost ring_cost(const Call& call, const Parameters& parameters);
void recursive_doubling(Builder& builder, const Parameters& parameters);
Cost recursive_doubling_cost(const Call& call, const Parameters& parameters);
void bruck(Builder& builder, const Parameters& parameters);
Cost bruck_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
void fragments(Builder& builder, const Parameters& parameters);
Cost fragments_cost(const Call& call, const Parameters& parameters);
void single_copy(Builder& builder, const Parameters& parameters);
Cost single_copy_cost(const Call& call, const Parameters& parameters);
void hierarchical(Builder& builder, const Parameters& parameters);
Cost hierarchical_cost(const Call& call, const Parameters& parameters);
void multi_leader(Builder& builder, const Parameters& parameters);
Cost multi_leader_cost(const Call& call, const Parameters& parameters);
}  // namespace allgather

namespace alltoall {
void pairwise(Builder& builder, const Parameters& parameters);
Cost pairwise_cost(const Call& call, const Parameters& parameters);
void scattered(Builder& builder, const Parameters& parameters);
Cost scattered_cost(const Call& call, const Parameters& parameters);
void bruck(Builder& builder, const Parameters& parameters);
Cost bruck_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
void fragments(Builder& builder, const Parameters& parameters);
Cost fragments_cost(const Call& call, const Parameters& parameters);
void single_copy(Builder& builder, const Parameters& parameters);
Cost single_copy_cost(const Call& call, const Parameters& parameters);
void hierarchical(Builder& builder, const Parameters& parameters);
Cost hierarchical_cost(const Call& call, const Parameters& parameters);
}  // namespace alltoall

namespace gather {
void k_nomial(Builder& builder, const Parameters& parameters);
Cost k_nomial_cost(const Call& call, const Parameters& parameters);
void linear(Builder& builder, const Parameters& parameters);
Cost linear_cost(const Call& call, const Parameters& parameters);
void fan_in(Builder& builder, const Parameters& parameters);
Cost fan_in_cost(const Call& call, const Parameters& parameters);
}  // namespace gather

namespace scatter {
void k_nomial(Builder& builder, const Parameters& parameters);
Cost k_nomial_cost(const Call& call, const Parameters& parameters);
void linear(Builder& builder, const Parameters& parameters);
Cost linear_cost(const Call& call, const Parameters& parameters);
void fan_out(Builder& builder, const Parameters& parameters);
Cost fan_out_cost(const Call& call, const Parameters& parameters);
}  // namespace scatter

namespace reduce_scatter_block {
void recursive_halving(Builder& builder, const Parameters& parameters);
Cost recursive_halving_cost(const Call& call, const Parameters& parameters);
void pairwise(Builder& builder, const Parameters& parameters);
Cost pairwise_cost(const Call& call, const Parameters& parameters);
void ring(Builder& builder, const Parameters& parameters);
Cost ring_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
}  // namespace reduce_scatter_block

namespace reduce_scatter {
void recursive_halving(Builder& builder, const Parameters& parameters);
Cost recursive_halving_cost(const Call& call, const Parameters& parameters);
void pairwise(Builder& builder, const Parameters& parameters);
Cost pairwise_cost(const Call& call, const Parameters& parameters);
void ring(Builder& builder, const Parameters& parameters);
Cost ring_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
}  // namespace reduce_scatter

namespace scan {
void recursive_doubling(Builder& builder, const Parameters& parameters);
Cost recursive_doubling_cost(const Call& call, const Parameters& parameters);
void chain(Builder& builder, const Parameters& parameters);
Cost chain_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
}  // namespace scan

namespace exscan {
void recursive_doubling(Builder& builder, const Parameters& parameters);
Cost recursive_doubling_cost(const Call& call, const Parameters& parameters);
void chain(Builder& builder, const Parameters& parameters);
Cost chain_cost(const Call& call, const Parameters& parameters);
void exchange(Builder& builder, const Parameters& parameters);
Cost exchange_cost(const Call& call, const Parameters& parameters);
}  // namespace exscan

namespace allgatherv {
void ring(Builder& builder, const Parameters& parameters);
Cost ring_cost(const Call& call, const Parameters& parameters);
void bruck(Builder& builder, const Parameters& parameters);
Cost bruck_cost(const Call& call, const Parameters& parameters);
void recursive_doubling(Builder& builder, const Parameters& parameters);
Cost recursive_doubling_cost(const Call& call, const Parameters& parameters);
}  // namespace allgatherv

namespace alltoallv {  // also of all other forms with parcels
void linear(Builder& builder, const Parameters& parameters);
Cost linear_cost(const Call& call, const Parameters& parameters);
}  // namespace alltoallv

}  // namespace weft
