// SPDX-License-Identifier: BSD-3-Clause
// GOAL programs of schedules: what they cannot say is refused, and everything else has its task.
#include "schedule/goal.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

TEST(GoalOutput, steps_in_shared_memory_are_refused_by_rank_and_task) {
  const auto text = goal(node_level_schedules());
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error(),
            "rank 0, task 1 (exchange lines.0[0+256] group 0) is a step of ranks that share memory, for "
            "which GOAL has "
            "no word: choose a flat hierarchy, or an algorithm that follows none");
}

TEST(GoalOutput, a_schedule_of_nodes_of_one_rank_each_shares_nothing) {
  EXPECT_TRUE(goal(build_over("node:4 core:1", "node", allreduce_of(4))).ok());
  EXPECT_FALSE(goal(build_over("node:2 core:2", "node", allreduce_of(4), Leader::kLast)).ok());
}

TEST(GoalOutput, a_join_takes_no_time) {
  Builder b(allreduce_of(1), Rank(0), false);
  b.copy(b.contribution(), b.output());
  b.join();
  const std::vector<Schedule> schedules{std::move(b).finish("by hand \"quoted\"\n")};
  const auto text = goal(schedules, {.copy_ns_per_byte = 2});
  ASSERT_TRUE(text.ok()) << text.error();
  EXPECT_EQ(*text,
            "// allreduce of 8 bytes on 1 rank, \"by hand \\\"quoted\\\"\\n\"\n"
            "// a byte takes 2 ns to copy and 0 ns to reduce\n"
            "num_ranks 1\n\n"
            "rank 0 {\n  l0: calc 16\n  l1: calc 0\n  l1 requires l0\n}\n");
}

TEST(GoalOutput, a_message_without_a_payload_is_as_long_as_a_signal) {
  const auto schedules = build_all({.collective = Collective::kBarrier, .rank_count = 2}, "dissemination");
  const auto text = goal(schedules, {.signal_bytes = Bytes(8)});
  ASSERT_TRUE(text.ok()) << text.error();
  EXPECT_NE(text->find("l0: recv 8b from 1 tag 0\n"), std::string::npos) << *text;
  EXPECT_NE(text->find("l1: send 8b to 1 tag 0\n"), std::string::npos) << *text;
}

TEST(GoalOutput, no_schedules_are_no_ranks) { EXPECT_EQ(*goal({}), "num_ranks 0\n"); }

}  // namespace
}  // namespace weft::tests
