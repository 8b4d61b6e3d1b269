// SPDX-License-Identifier: BSD-3-Clause
// What task lists say where they cannot be made or run, and what they are counted to need.
#include "support/task_lists.hpp"

#include <gtest/gtest.h>

#include "device/adapter.hpp"
#include "support/whole_call.hpp"
#include "transform/by_rounds.hpp"
#include "transform/critical_path.hpp"

namespace weft::tests {
namespace {

TEST(TaskLists, a_nodes_group_is_refused) {
  const auto list = lower(node_level_schedules()[1], {});
  ASSERT_FALSE(list);
  EXPECT_NE(list.error().find("rank 1 of allreduce of 8 bytes on 2 ranks takes part in a node's group"),
            std::string::npos)
      << list.error();
}

// Of the rank in the middle.
Schedule one_of(const Call& call, std::string_view algorithm) {
  const auto found = find_algorithm(call.collective, algorithm);
  return build_example(**found, call, {}, Rank(call.rank_count / 2), false);
}

TEST(TaskLists, long_schedules_have_lists_of_all_lengths) {
  const Call alltoall{.collective = Collective::kAlltoall, .rank_count = 8192, .bytes = Bytes(8)};
  const Call ring{.collective = Collective::kAllgather, .rank_count = 10'000, .bytes = Bytes(8)};
  const Call sums{.collective = Collective::kReduceScatterBlock,
                  .rank_count = 5000,
                  .bytes = Bytes(8),
                  .element_bytes = Bytes(8)};
  const Schedule schedules[] = {one_of(alltoall, "pairwise"), one_of(alltoall, "scattered"),
                                by_rounds(one_of(alltoall, "scattered")), one_of(ring, "ring"),
                                one_of(sums, "ring")};
  for (const Schedule& schedule : schedules)
    for (const Lowering& lowering : some_lowerings(6)) {
      const auto list = lower(schedule, lowering);
      ASSERT_TRUE(list) << list.error();
      EXPECT_LE(counts_of(*list).longest_list, lowering.most_tasks);
      const device::ListOperation<device::FabricEnd> operation(*list);
      EXPECT_EQ(message_count(operation.schedule()), message_count(schedule)) << schedule.algorithm;
    }
}

// As many waits as their product.
TEST(TaskLists, very_many_waits_are_refused) {
  constexpr int kPeers = 2100;
  Builder b({.collective = Collective::kAllgather, .rank_count = kPeers + 1, .bytes = Bytes(8)}, Rank(0),
            false);
  for (int peer = 1; peer <= kPeers; ++peer) b.recv(peer, b.blocks(b.output(), peer, peer + 1));
  b.join();
  for (int peer = 1; peer <= kPeers; ++peer) b.send(peer, b.contribution());
  const auto list = lower(std::move(b).finish("by hand"), {});
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error(),
            "rank 0 of allgather of 8 bytes on 2101 ranks: its steps have to wait for one another more than "
            "4194304 times");
}

std::string refusal(const std::vector<TaskList>& lists, const device::AdapterLimits& limits) {
  const auto adapter = device::Adapter::make(lists, limits);
  return adapter ? "" : adapter.error();
}

TEST(TaskLists, limits_of_an_adapter_are_said_with_rank_and_task) {
  const auto lists = lower_all(build_all(allreduce_of(4, Bytes(32)), "recursive_k_ing"), {});
  EXPECT_EQ(refusal(lists, {}), "");
  EXPECT_EQ(
      refusal(lists, {.scalar_operands = true}),
      "rank 0, task 4 (calc input[0+32] (+) scratch.0[0+32]) combines 32 bytes, and the adapter scalars "
      "of 8 only: combine them elsewhere");
  EXPECT_EQ(refusal(lists, {.longest_list = 4}),
            "rank 0, task 4 (calc input[0+32] (+) scratch.0[0+32]) is one more than the 4 that a list may "
            "have: lower with most_tasks 4");
  EXPECT_EQ(refusal(lists, {.deepest_queue = 1}),
            "rank 0, task 4 (calc input[0+32] (+) scratch.0[0+32]) is one more than the 1 that loop-back can "
            "hold: use shorter lists");
  const auto short_lists = lower_all(build_all(allreduce_of(4), "recursive_k_ing"), {.most_tasks = 4});
  EXPECT_EQ(refusal(short_lists, {.scalar_operands = true, .longest_list = 4}), "");
}

TEST(TaskLists, the_adapter_names_who_is_stuck) {
  auto lists = lower_all(build_all(allreduce_of(2), "recursive_k_ing"), {});
  std::erase_if(lists[1].tasks, [](const ListTask& t) {
    return t.kind == ListTaskKind::kSend || t.kind == ListTaskKind::kCalc || t.kind == ListTaskKind::kWait;
  });
  lists[1].ends = {static_cast<std::uint32_t>(lists[1].tasks.size())};
  const auto adapter = device::Adapter::make(lists);
  ASSERT_TRUE(adapter) << adapter.error();
  std::vector<std::uint64_t> in(2), out(2);
  std::vector<Binding> bindings;
  for (std::size_t rank = 0; rank < 2; ++rank)
    bindings.push_back({.input = &in[rank], .output = &out[rank], .combine = kSum});
  EXPECT_EQ((*adapter)->run(bindings, 1), "nothing can happen any more, and ranks 0 have not ended");
}

// (k-1) children and (k-1) parents at most for each of the log_k n levels.
TEST(TaskLists, a_k_nomial_tree_needs_few_connections) {
  for (const int radix : {2, 4})
    for (const int ranks : {16, 64}) {
      const Call call{.collective = Collective::kBcast, .rank_count = ranks, .bytes = Bytes(8)};
      const auto lists = lower_all(build_all(call, "k_nomial", radix), {});
      std::uint32_t levels = 0;
      for (int reached = 1; reached < ranks; reached *= radix) ++levels;
      std::uint32_t most = 0;
      for (const TaskList& list : lists) most = std::max(most, counts_of(list).connections);
      EXPECT_EQ(most, (static_cast<std::uint32_t>(radix) - 1) * levels);
    }
}

int steps(Collective collective, std::string_view algorithm, int radix) {
  Call call = allreduce_of(16);
  call.collective = collective;
  return critical_path(raise_all(lower_all(build_all(call, algorithm, radix), {})));
}

// docs/task_lists.md says how they come about.
TEST(TaskLists, reductions_of_sixteen_ranks_take_so_many_steps) {
  EXPECT_EQ(steps(Collective::kReduce, "k_nomial", 2), 5);
  EXPECT_EQ(steps(Collective::kReduce, "k_nomial", 3), 6);
  EXPECT_EQ(steps(Collective::kReduce, "k_nomial", 4), 7);
  EXPECT_EQ(steps(Collective::kReduce, "n_ary_tree", 2), 8);
  EXPECT_EQ(steps(Collective::kReduce, "n_ary_tree", 3), 7);
  EXPECT_EQ(steps(Collective::kReduce, "n_ary_tree", 4), 8);
}

TEST(TaskLists, a_barrier_takes_as_many_steps_as_it_has_rounds) {
  const Call call{.collective = Collective::kBarrier, .rank_count = 8};
  EXPECT_EQ(critical_path(raise_all(lower_all(build_all(call, "recursive_k_ing"), {}))), 3);
}

}  // namespace
}  // namespace weft::tests
