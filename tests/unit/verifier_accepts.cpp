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

TEST(VerifierAccepts, recursive_doubling) {
  const auto write = [](Builder& b) { recursive_doubling(b); };
  for (const int ranks : {1, 2, 4, 8, 16})
    for (const bool commutative : {true, false}) {
      expect_proved(all_ranks(allreduce_call(ranks, commutative), write), std::to_string(ranks) + " ranks");
      expect_proved(all_ranks(allreduce_call(ranks, commutative), write, on_all_ranks), "in place");
      expect_proved(all_ranks(allreduce_call(ranks, commutative), write, on_odd_ranks),
                    "in place on some ranks");
    }
}

TEST(VerifierAccepts, allgather_in_place_on_any_ranks) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    expect_proved(all_ranks(allgather_call(ranks), ring_allgather), "ring");
    expect_proved(all_ranks(allgather_call(ranks), ring_allgather, on_all_ranks), "ring in place");
    expect_proved(all_ranks(allgather_call(ranks), ring_allgather, on_odd_ranks),
                  "ring in place on some ranks");
  }
}

TEST(VerifierAccepts, bcast_from_any_root) {
  for (int ranks = 1; ranks <= 9; ++ranks)
    for (int root = 0; root < ranks; ++root)
      expect_proved(all_ranks(bcast_call(ranks, root), binomial_bcast), std::to_string(root));
}

TEST(VerifierAccepts, alltoall_in_place_through_scratch) {
  for (int ranks = 1; ranks <= 6; ++ranks) {
    expect_proved(all_ranks(alltoall_call(ranks), linear_alltoall), "linear");
    expect_proved(all_ranks(alltoall_call(ranks), linear_alltoall, on_odd_ranks),
                  "linear in place on some ranks");
  }
}

TEST(VerifierAccepts, reduce_with_the_root_in_place) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (int root = 0; root < ranks; ++root) {
      expect_proved(all_ranks(reduce_call(ranks, root), linear_reduce), "linear");
      expect_proved(
          all_ranks(reduce_call(ranks, root), linear_reduce, [&](int rank) { return rank == root; }),
          "linear in place");
    }
}

TEST(VerifierAccepts, barriers_whose_messages_carry_nothing) {
  for (int ranks = 1; ranks <= 17; ++ranks)
    expect_proved(all_ranks(barrier_call(ranks), [](Builder& b) { dissemination_barrier(b); }),
                  "dissemination");
  expect_proved(all_ranks(barrier_call(3),
                          [](Builder& b) {
                            const GroupId group = b.group(everybody(b));
                            b.exchange(b.lines(group), group);
                          }),
                "exchange");
  expect_proved(all_ranks(barrier_call(3),
                          [](Builder& b) {
                            const GroupId group = b.group(everybody(b));
                            const Range lines = b.lines(group);
                            b.fan_in(lines, group, 1);
                            b.fan_out(lines, group, 1);
                          }),
                "fan_in and fan_out");
}

TEST(VerifierAccepts, node_level_tasks) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    expect_proved(all_ranks(allreduce_call(ranks, false), exchange_allreduce), "exchange");
    expect_proved(all_ranks(allreduce_call(ranks, false), leader_allreduce, on_odd_ranks), "leader");
  }
}

TEST(VerifierAccepts, steps_that_wait_for_those_before) {
  for (int ranks = 1; ranks <= 8; ++ranks)
    expect_proved(all_ranks({.collective = Collective::kScan, .rank_count = ranks, .bytes = Bytes(8)},
                            [](Builder& b) {
                              const GroupId group = b.group(everybody(b));
                              const Range lines = b.lines(group);
                              const auto line = [&](int of) {
                                return lines.part(kLineStride * of, b.bytes());
                              };
                              b.copy(b.contribution(), line(b.self()));
                              b.prefix(lines, group);
                              b.copy(line(b.self()), b.output());
                              for (int before = b.self() - 1; before >= 0; --before)
                                b.reduce(line(before), b.output());
                            }),
                  "prefix");
}

// Halves of a node with steps of their own, in one memory, then the first of each half.
TEST(VerifierAccepts, steps_of_fewer_than_share_the_memory) {
  expect_proved(all_ranks(allreduce_call(4, false),
                          [](Builder& b) {
                            const int half = b.self() / 2 * 2;
                            const GroupId node = b.group(everybody(b));
                            const GroupId pair = b.group({Rank(half), Rank(half + 1)});
                            const Range values = b.lines(node), sums = b.lines(node), done = b.lines(node);
                            const auto line = [&](Range lines, int of) {
                              return lines.part(kLineStride * of, b.bytes());
                            };
                            b.copy(b.contribution(), line(values, b.self()));
                            b.fan_in(values, pair, 0);
                            if (b.self() == half) {
                              b.copy(line(values, half + 1), line(sums, half));
                              b.reduce(line(values, half), line(sums, half));
                              const GroupId heads = b.group({Rank(0), Rank(2)});
                              b.fan_in(sums, heads, 0);
                            }
                            if (b.self() == 0) {
                              b.copy(line(sums, 2), line(done, 0));
                              b.reduce(line(sums, 0), line(done, 0));
                            }
                            b.fan_out(done, node, 0);
                            b.copy(line(done, 0), b.output());
                          }),
                "halves");
}

TEST(VerifierAccepts, slots_used_again_after_a_second_exchange) {
  expect_proved(all_ranks(allreduce_call(3),
                          [](Builder& b) {
                            exchange_allreduce(b);
                            const Range lines{BufferId(2), Bytes(0), kLineStride * b.rank_count()};
                            b.exchange(lines, GroupId(0));
                            b.copy(b.input(), lines.part(kLineStride * b.self(), b.bytes()));
                          }),
                "second exchange");
}

TEST(VerifierAccepts, calls_that_move_nothing) {
  expect_proved(all_ranks(allreduce_call(3, true, 0), [](Builder&) {}), "allreduce of nothing");
  expect_proved(all_ranks(allgather_call(3, 0), [](Builder&) {}), "allgather of nothing");
  expect_proved(all_ranks(allgather_call(3, 0), ring_allgather), "empty messages");
}

// Blocks of one element each, fewer than ranks: some ranks have nothing to do for anybody.
TEST(VerifierAccepts, counts_smaller_than_the_number_of_ranks) {
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

TEST(VerifierReports, bracket_messages_and_bytes) {
  const Report report = verify(all_ranks(allreduce_call(4), [](Builder& b) { recursive_doubling(b); }));
  EXPECT_EQ(report.bracket, "((0+1)+(2+3))");
  EXPECT_EQ(report.messages, 8);
  EXPECT_EQ(report.bytes_sent, Bytes(8 * 16));
  EXPECT_EQ(verify(all_ranks(reduce_call(3, 1), linear_reduce)).bracket, "(0+(1+2))");
  EXPECT_EQ(verify(all_ranks(allgather_call(3), ring_allgather)).bracket, "");
}

TEST(VerifierReports, many_findings_of_one_rule_are_counted) {
  Schedules schedules = all_ranks(allgather_call(40), ring_allgather);
  for (Schedule& schedule : schedules) drop_task(schedule, nth(schedule, TaskKind::kCopy));
  for (Schedule& schedule : schedules) drop_task(schedule, nth(schedule, TaskKind::kSend));
  const Report report = verify(schedules);
  EXPECT_FALSE(report.proved());
  EXPECT_LT(report.findings.size(), 300u);
}

}  // namespace
}  // namespace weft::tests
