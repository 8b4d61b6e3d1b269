// SPDX-License-Identifier: BSD-3-Clause
// The trace tells what each round carries and who holds what after it.
#include <gtest/gtest.h>

#include "executor/verifier/trace.hpp"
#include "mutation/hand_built.hpp"

namespace weft::tests {
namespace {

using Words = std::vector<std::string>;

TEST(Trace, recursive_doubling_doubles_what_ranks_know) {
  const Trace told = trace(all_ranks(allreduce_call(4), [](Builder& b) { recursive_doubling(b); }));
  EXPECT_TRUE(told.complete);
  EXPECT_EQ(told.initially, (Words{"0", "1", "2", "3"}));
  ASSERT_EQ(told.rounds.size(), 2u);
  EXPECT_EQ(told.rounds[0].holds, (Words{"0-1", "0-1", "2-3", "2-3"}));
  EXPECT_EQ(told.rounds[1].holds, (Words{"0-3", "0-3", "0-3", "0-3"}));
  ASSERT_EQ(told.rounds[1].messages.size(), 4u);
  EXPECT_EQ(told.rounds[1].messages[0].from, Rank(0));
  EXPECT_EQ(told.rounds[1].messages[0].to, Rank(2));
  EXPECT_EQ(told.rounds[1].messages[0].bytes, Bytes(16));
  EXPECT_EQ(told.rounds[1].messages[0].what, "0-1");
}

TEST(Trace, allgather_fills_blocks) {
  const Trace told = trace(all_ranks(allgather_call(3), ring_allgather));
  ASSERT_EQ(told.rounds.size(), 2u);
  EXPECT_EQ(told.rounds[0].holds, (Words{"{0,2}", "0-1", "1-2"}));
  EXPECT_EQ(told.rounds[0].messages[2].what, "2");
  EXPECT_EQ(told.rounds[1].holds, (Words{"0-2", "0-2", "0-2"}));
}

TEST(Trace, alltoall_names_the_bytes_of_a_contribution) {
  const Trace told = trace(all_ranks(alltoall_call(3), linear_alltoall));
  ASSERT_EQ(told.rounds.size(), 1u);
  EXPECT_EQ(told.initially, (Words{"0", "1", "2"}));
  EXPECT_EQ(told.rounds[0].messages[0].what, "0[8:16]");
  EXPECT_EQ(told.rounds[0].holds, (Words{"0-2", "0-2", "0-2"}));
}

TEST(Trace, bcast_spreads_the_roots_bytes) {
  const Trace told = trace(all_ranks(bcast_call(4, 1), binomial_bcast));
  EXPECT_EQ(told.initially, (Words{"-", "1", "-", "-"}));
  EXPECT_EQ(told.rounds.back().holds, (Words{"1", "1", "1", "1"}));
}

TEST(Trace, barriers_spread_the_news) {
  const Trace told = trace(all_ranks(barrier_call(4), [](Builder& b) { dissemination_barrier(b); }));
  ASSERT_EQ(told.rounds.size(), 2u);
  EXPECT_EQ(told.rounds[0].holds, (Words{"{0,3}", "0-1", "1-2", "2-3"}));
  EXPECT_EQ(told.rounds[1].messages[0].what, "{0,3}");
  EXPECT_EQ(told.rounds[1].holds, (Words{"0-3", "0-3", "0-3", "0-3"}));
}

TEST(Trace, node_level_steps_are_rounds) {
  const Trace told = trace(all_ranks(allreduce_call(3), leader_allreduce));
  EXPECT_TRUE(told.complete);
  ASSERT_EQ(told.rounds.size(), 2u);
  EXPECT_EQ(told.rounds[0].node_steps, (Words{"fan_in to rank 0 of ranks 0-2"}));
  EXPECT_EQ(told.rounds[1].node_steps, (Words{"fan_out from rank 0 of ranks 0-2"}));
  EXPECT_EQ(told.rounds[1].holds, (Words{"0-2", "0-2", "0-2"}));
}

TEST(Trace, parts_of_a_reduction_name_their_bytes) {
  const Trace told =
      trace(all_ranks(allreduce_call(2), [](Builder& b) {  // one element is exchanged, the other lost
        const Range received = b.scratch(Bytes(8));
        b.recv(1 - b.self(), received);
        b.send(1 - b.self(), b.input().part(Bytes(8), Bytes(8)));
        b.copy(b.input(), b.output());
        b.reduce(received, b.output().part(Bytes(8), Bytes(8)));
      }));
  ASSERT_EQ(told.rounds.size(), 1u);
  EXPECT_EQ(told.rounds[0].messages[0].what, "0[8:16]");
  EXPECT_EQ(told.rounds[0].holds, (Words{"0-1[8:16]", "0-1[8:16]"}));
}

TEST(Trace, a_deadlock_ends_it) {
  const Trace told = trace(all_ranks(barrier_call(2), [](Builder& b) {
    const TaskId recv = b.await_signal(1 - b.self());
    b.after(b.signal(1 - b.self()), recv);
  }));
  EXPECT_FALSE(told.complete);
  EXPECT_TRUE(told.rounds.empty());
}

}  // namespace
}  // namespace weft::tests
