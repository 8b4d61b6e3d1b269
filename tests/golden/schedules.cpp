// SPDX-License-Identifier: BSD-3-Clause
// Schedules and rounds as text, for calls that people can check by hand.
#include <fmt/format.h>

#include "executor/verifier/trace.hpp"
#include "schedule/text.hpp"
#include "support/golden.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

std::string schedules_text(const std::vector<Schedule>& schedules) {
  std::string text;
  for (const Schedule& schedule : schedules) text += print_schedule(schedule);
  return text;
}

std::string holdings(const std::vector<std::string>& holds) {
  std::string text;
  for (std::size_t rank = 0; rank < holds.size(); ++rank)
    text += fmt::format("  rank {} holds {}\n", rank, holds[rank]);
  return text;
}

std::string rounds_text(const std::vector<Schedule>& schedules) {
  const Trace shown = trace(schedules);
  EXPECT_TRUE(shown.complete);
  std::string text = "before\n" + holdings(shown.initially);
  for (std::size_t round = 0; round < shown.rounds.size(); ++round) {
    text += fmt::format("round {}\n", round);
    for (const std::string& step : shown.rounds[round].node_steps) text += "  " + step + "\n";
    for (const TraceMessage& m : shown.rounds[round].messages)
      text += fmt::format("  {} -> {}: {} bytes: {}\n", m.from.value, m.to.value, m.bytes.value, m.what);
    text += holdings(shown.rounds[round].holds);
  }
  return text;
}

TEST(Golden, recursive_three_ing_on_nine_ranks) {
  const auto schedules = build_all(allreduce_of(9), "recursive_k_ing", 3);
  expect_golden("recursive_k_ing_9_ranks_radix_3_rounds", rounds_text(schedules));
  expect_golden("recursive_k_ing_9_ranks_radix_3_schedules", schedules_text(schedules));
}

// LibNBC's figure 1.
TEST(Golden, binomial_bcast_on_seven_ranks) {
  const Call call{.collective = Collective::kBcast, .rank_count = 7, .bytes = Bytes(8)};
  const auto schedules = build_all(call, "k_nomial", 2);
  expect_golden("binomial_bcast_7_ranks_rank_1", print_schedule(schedules[1]));
  expect_golden("binomial_bcast_7_ranks_rounds", rounds_text(schedules));
}

TEST(Golden, ring_allreduce_on_four_ranks) {
  const auto schedules = build_all(allreduce_of(4, Bytes(32)), "ring");
  expect_golden("ring_allreduce_4_ranks_schedules", schedules_text(schedules));
  expect_golden("ring_allreduce_4_ranks_rounds", rounds_text(schedules));
}

// Seven is no power of two: three ranks are extra, and each has a proxy beside it.
TEST(Golden, proxies_of_recursive_doubling_on_seven_ranks) {
  Call call = allreduce_of(7);
  call.commutative = false;
  const auto schedules = build_all(call, "recursive_k_ing", 2);
  expect_golden("recursive_k_ing_7_ranks_proxies_schedules", schedules_text(schedules));
  expect_golden("recursive_k_ing_7_ranks_proxies_rounds", rounds_text(schedules));
}

// Cheetah's figure 4: reduce, allreduce, bcast at a leader; reduce, bcast at the others.
TEST(Golden, two_tier_allreduce_on_two_nodes_of_four) {
  const auto schedules = build_over("node:2 core:4", "node", allreduce_of(8));
  expect_golden("two_tier_allreduce_8_ranks_leader", print_schedule(schedules[0]));
  expect_golden("two_tier_allreduce_8_ranks_non_leader", print_schedule(schedules[1]));
  expect_golden("two_tier_allreduce_8_ranks_rounds", rounds_text(schedules));
}

// The two-tier allreduce of Cheetah's figure 4 without leaders: any rank of a node may have to do the
// errands.
TEST(Golden, two_tier_allreduce_led_by_the_last_to_arrive) {
  const auto schedules = build_over("node:2 core:4", "node", allreduce_of(8), Leader::kLast);
  expect_golden("last_arriver_allreduce_8_ranks_rank_1", print_schedule(schedules[1]));
  expect_golden("last_arriver_allreduce_8_ranks_rounds", rounds_text(schedules));
  const auto one_node =
      build_over("socket:2 core:4", "socket+node", allreduce_of(8, Bytes(64)), Leader::kLast);
  expect_golden("last_arriver_allreduce_2_sockets_rank_5", print_schedule(one_node[5]));
}

// Values longer than a line's 56 bytes lie in cells of their own. Every tier has lines of its own.
TEST(Golden, three_tier_reduce_to_rank_six) {
  Call call = allreduce_of(8, Bytes(64));
  call.collective = Collective::kReduce;
  call.root = Rank(6);
  const auto schedules = build_over("node:2 socket:2 core:2", "socket+node", call);
  expect_golden("three_tier_reduce_8_ranks_root", print_schedule(schedules[6]));
  expect_golden("three_tier_reduce_8_ranks_rounds", rounds_text(schedules));
}

TEST(Golden, two_tier_barrier_and_allgather_on_two_nodes_of_two) {
  const auto barrier = build_over("node:2 core:2", "node", {.rank_count = 4});
  expect_golden("two_tier_barrier_4_ranks_leader", print_schedule(barrier[0]));
  const Call call{.collective = Collective::kAllgather, .rank_count = 4, .bytes = Bytes(100)};
  const auto allgather = build_over("node:2 core:2", "node", call);
  expect_golden("two_tier_allgather_4_ranks_leader", print_schedule(allgather[0]));
  expect_golden("two_tier_allgather_4_ranks_non_leader", print_schedule(allgather[1]));
}

// Two leaders on each node, two fragments of each part, which travel together.
TEST(Golden, multi_leader_allreduce_on_two_nodes_of_two) {
  const auto schedules = build_over("node:2 core:2", "node", allreduce_of(4, Bytes(32)),
                                    {.fragment = Bytes(16), .leader_fragment = Bytes(16)}, "multi_leader");
  expect_golden("multi_leader_allreduce_4_ranks_rank_1", print_schedule(schedules[1]));
  expect_golden("multi_leader_allreduce_4_ranks_rounds", rounds_text(schedules));
}

// Rabenseifner's: neighbours halve the vector first, so that operands stay in rank order.
TEST(Golden, reduce_scatter_allgather_on_four_ranks) {
  Call call = allreduce_of(4, Bytes(32));
  call.commutative = false;
  const auto schedules = build_all(call, "reduce_scatter_allgather");
  expect_golden("reduce_scatter_allgather_4_ranks_rank_1", print_schedule(schedules[1]));
  expect_golden("reduce_scatter_allgather_4_ranks_rounds", rounds_text(schedules));
}

// Blocks jump by 1, 2 and 4; places 1 and 3 in the first round.
TEST(Golden, brucks_alltoall_on_five_ranks) {
  const Call call{.collective = Collective::kAlltoall, .rank_count = 5, .bytes = Bytes(8)};
  expect_golden("bruck_alltoall_5_ranks_rank_1", print_schedule(build_all(call, "bruck")[1]));
}

TEST(Golden, gather_up_a_tree_that_turns_at_the_end_of_the_ranks) {
  const Call call{.collective = Collective::kGather, .rank_count = 7, .root = Rank(3), .bytes = Bytes(8)};
  const auto schedules = build_all(call, "k_nomial");
  expect_golden("k_nomial_gather_7_ranks_root_3", print_schedule(schedules[3]));
  expect_golden("k_nomial_gather_7_ranks_rounds", rounds_text(schedules));
}

// Half of the ranks, then half of the half: the third of five has no counterpart at first.
TEST(Golden, recursive_halving_on_five_ranks) {
  Call call = allreduce_of(5, Bytes(8));
  call.collective = Collective::kReduceScatterBlock;
  expect_golden("recursive_halving_5_ranks_rounds", rounds_text(build_all(call, "recursive_halving")));
}

TEST(Golden, scan_by_recursive_doubling_on_five_ranks) {
  Call call = allreduce_of(5, Bytes(8));
  call.collective = Collective::kScan;
  expect_golden("recursive_doubling_scan_5_ranks_rounds", rounds_text(build_all(call, "recursive_doubling")));
}

// A periodic grid of two by two: every neighbour is one twice, and what goes below comes from above.
TEST(Golden, neighbor_alltoall_on_a_torus_of_two_by_two) {
  const Call call{.collective = Collective::kNeighborAlltoall, .rank_count = 4, .bytes = Bytes(8)};
  const auto schedules = build_all(call, "linear");
  expect_golden("neighbor_alltoall_2_by_2_rank_0", print_schedule(schedules[0]));
}

TEST(Golden, node_level_tasks) { expect_golden("node_level_tasks", schedules_text(node_level_schedules())); }

}  // namespace
}  // namespace weft::tests
