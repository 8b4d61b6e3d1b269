// SPDX-License-Identifier: BSD-3-Clause
// No false alarms: correct schedules of every shape are proved.
#include <gtest/gtest.h>

#include "executor/verifier/verify.hpp"
#include "mutation/hand_built.hpp"

namespace weft::tests {
namespace {

void expect_proved(const Schedules& schedules, const std::string& what) {
  const Report report = verify(schedules);
  EXPECT_TRUE(report.proved()) << what << ": " << report.findings.front().message;
}

bool on_odd_ranks(int rank) { return rank % 2 == 1; }
bool on_all_ranks(int) { return true; }

TEST(VerifierAccepts, RecursiveDoubling) {
  const auto write = [](Builder& b) { recursive_doubling(b); };
  for (const int ranks : {1, 2, 4, 8, 16})
    for (const bool commutative : {true, false}) {
      expect_proved(all_ranks(allreduce_call(ranks, commutative), write), std::to_string(ranks) + " ranks");
      expect_proved(all_ranks(allreduce_call(ranks, commutative), write, on_all_ranks), "in place");
      expect_proved(all_ranks(allreduce_call(ranks, commutative), write, on_odd_ranks),
                    "in place on some ranks");
    }
}

TEST(VerifierAccepts, AllgatherInPlaceOnAnyRanks) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    expect_proved(all_ranks(allgather_call(ranks), ring_allgather), "ring");
    expect_proved(all_ranks(allgather_call(ranks), ring_allgather, on_all_ranks), "ring in place");
    expect_proved(all_ranks(allgather_call(ranks), ring_allgather, on_odd_ranks),
                  "ring in place on some ranks");
  }
}

TEST(VerifierAccepts, BcastFromAnyRoot) {
  for (int ranks = 1; ranks <= 9; ++ranks)
    for (int root = 0; root < ranks; ++root)
      expect_proved(all_ranks(bcast_call(ranks, root), binomial_bcast), std::to_string(root));
}

TEST(VerifierAccepts, AlltoallInPlaceThroughScratch) {
  for (int ranks = 1; ranks <= 6; ++ranks) {
    expect_proved(all_ranks(alltoall_call(ranks), linear_alltoall), "linear");
    expect_proved(all_ranks(alltoall_call(ranks), linear_alltoall, on_odd_ranks),
                  "linear in place on some ranks");
  }
}

TEST(VerifierAccepts, ReduceWithTheRootInPlace) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (int root = 0; root < ranks; ++root) {
      expect_proved(all_ranks(reduce_call(ranks, root), linear_reduce), "linear");
      expect_proved(
          all_ranks(reduce_call(ranks, root), linear_reduce, [&](int rank) { return rank == root; }),
          "linear in place");
    }
}

TEST(VerifierAccepts, BarriersWhoseMessagesCarryNothing) {
  for (int ranks = 1; ranks <= 17; ++ranks)
    expect_proved(all_ranks(barrier_call(ranks), [](Builder& b) { dissemination_barrier(b); }),
                  "dissemination");
  expect_proved(
      all_ranks(barrier_call(3), [](Builder& b) { b.exchange(b.shared(b.group(everybody(b)), Bytes(0))); }),
      "exchange");
  expect_proved(all_ranks(barrier_call(3),
                          [](Builder& b) {
                            const Range nothing = b.shared(b.group(everybody(b)), Bytes(0));
                            const TaskId in = b.fan_in(nothing, 1);
                            b.after(b.fan_out(nothing, 1), in);  // no data orders them
                          }),
                "fan_in and fan_out");
}

TEST(VerifierAccepts, NodeLevelTasks) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    expect_proved(all_ranks(allreduce_call(ranks, false), exchange_allreduce), "exchange");
    expect_proved(all_ranks(allreduce_call(ranks, false), leader_allreduce, on_odd_ranks), "leader");
  }
}

TEST(VerifierAccepts, SlotsUsedAgainAfterASecondExchange) {
  expect_proved(all_ranks(allreduce_call(3),
                          [](Builder& b) {
                            exchange_allreduce(b);
                            const Range slots{BufferId(2), Bytes(0), b.bytes() * b.rank_count()};
                            b.exchange(slots);
                            b.copy(b.input(), slots.part(b.bytes() * b.self(), b.bytes()));
                          }),
                "second exchange");
}

TEST(VerifierAccepts, CallsThatMoveNothing) {
  expect_proved(all_ranks(allreduce_call(3, true, 0), [](Builder&) {}), "allreduce of nothing");
  expect_proved(all_ranks(allgather_call(3, 0), [](Builder&) {}), "allgather of nothing");
  expect_proved(all_ranks(allgather_call(3, 0), ring_allgather), "empty messages");
}

// Blocks of one element each, fewer than ranks: some ranks have nothing to do for anybody.
TEST(VerifierAccepts, CountsSmallerThanTheNumberOfRanks) {
  const auto gather_and_share = [](Builder& b) {  // rank r folds element r for everybody
    const Bytes element(8);
    const int owners = static_cast<int>(b.bytes() / element);
    const Range sums = b.scratch(b.bytes() * b.rank_count());
    const auto slot = [&](int rank, int e) { return sums.part(b.bytes() * rank + element * e, element); };
    for (int e = 0; e < owners; ++e) {
      b.copy(b.contribution().part(element * e, element), slot(b.self(), e));
      if (e != b.self()) b.send(e, slot(b.self(), e));
    }
    if (b.self() < owners) {
      for (int rank = 0; rank < b.rank_count(); ++rank)
        if (rank != b.self()) b.recv(rank, slot(rank, b.self()));
      for (int rank = b.rank_count() - 2; rank >= 0; --rank)
        b.reduce(slot(rank, b.self()), slot(b.rank_count() - 1, b.self()));
      b.copy(slot(b.rank_count() - 1, b.self()), b.output().part(element * b.self(), element));
      for (int rank = 0; rank < b.rank_count(); ++rank)
        if (rank != b.self()) b.send(rank, b.output().part(element * b.self(), element));
    }
    for (int e = 0; e < owners; ++e)
      if (e != b.self()) b.recv(e, b.output().part(element * e, element));
  };
  for (const int elements : {1, 2, 3})
    for (const bool commutative : {true, false})
      expect_proved(all_ranks(allreduce_call(5, commutative, elements), gather_and_share),
                    std::to_string(elements) + " elements");
}

TEST(VerifierReports, BracketMessagesAndBytes) {
  const Report report = verify(all_ranks(allreduce_call(4), [](Builder& b) { recursive_doubling(b); }));
  EXPECT_EQ(report.bracket, "((0+1)+(2+3))");
  EXPECT_EQ(report.messages, 8);
  EXPECT_EQ(report.bytes_sent, Bytes(8 * 16));
  EXPECT_EQ(verify(all_ranks(reduce_call(3, 1), linear_reduce)).bracket, "(0+(1+2))");
  EXPECT_EQ(verify(all_ranks(allgather_call(3), ring_allgather)).bracket, "");
}

TEST(VerifierReports, ManyFindingsOfOneRuleAreCounted) {
  Schedules schedules = all_ranks(allgather_call(40), ring_allgather);
  for (Schedule& schedule : schedules) drop_task(schedule, nth(schedule, TaskKind::kCopy));
  for (Schedule& schedule : schedules) drop_task(schedule, nth(schedule, TaskKind::kSend));
  const Report report = verify(schedules);
  EXPECT_FALSE(report.proved());
  EXPECT_LT(report.findings.size(), 300u);
}

}  // namespace
}  // namespace weft::tests
