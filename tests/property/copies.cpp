// SPDX-License-Identifier: BSD-3-Clause
// Builders move no more data than they must.
#include <algorithm>
#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"

namespace weft::tests {
namespace {

std::int64_t count(const Schedule& schedule, TaskKind kind) {
  return std::count_if(schedule.tasks.begin(), schedule.tasks.end(),
                       [&](const Task& t) { return t.kind == kind; });
}

Schedule build_named(Collective collective, std::string_view name, int ranks, int self, int radix,
                     bool in_place, Bytes bytes = Bytes(64)) {
  const Call call{.collective = collective, .rank_count = ranks, .bytes = bytes};
  return build(**find_algorithm(collective, name), call, {.radix = radix}, Rank(self), in_place);
}

TEST(RecursiveKIng, copies_at_most_once_and_needs_little_scratch) {
  for (const int radix : {2, 3, 4, 8})
    for (int ranks = 2; ranks <= 70; ++ranks)
      for (int self = 0; self < ranks; ++self)
        for (const bool in_place : {false, true}) {
          const Schedule schedule =
              build_named(Collective::kAllreduce, "recursive_k_ing", ranks, self, radix, in_place);
          ASSERT_LE(count(schedule, TaskKind::kCopy), 1)
              << ranks << " ranks, rank " << self << ", radix " << radix;
          Bytes scratch;
          for (const Buffer& buffer : schedule.buffers)
            if (buffer.role == BufferRole::kScratch) scratch += buffer.size;
          ASSERT_LE(scratch / schedule.call.bytes, 2 * radix + 1);
        }
}

TEST(RecursiveKIng, of_two_ranks_is_recv_send_reduce) {
  for (const int self : {0, 1}) {
    const Schedule schedule = build_named(Collective::kAllreduce, "recursive_k_ing", 2, self, 2, false);
    EXPECT_EQ(count(schedule, TaskKind::kRecv), 1);
    EXPECT_EQ(count(schedule, TaskKind::kSend), 1);
    EXPECT_EQ(count(schedule, TaskKind::kReduce), 1);
    EXPECT_EQ(count(schedule, TaskKind::kCopy), self) << "only rank 1 folds on top of its own value";
    EXPECT_EQ(schedule.predecessor_count[0] + schedule.predecessor_count[1], 0u)
        << "recv and send start at once";
  }
}

TEST(Ring, allreduce_copies_nothing_but_the_block_that_in_place_leaves_in_scratch) {
  for (const int ranks : {2, 3, 8, 33}) {
    EXPECT_EQ(
        count(build_named(Collective::kAllreduce, "ring", ranks, 1, 2, false, Bytes(1000)), TaskKind::kCopy),
        0);
    EXPECT_EQ(
        count(build_named(Collective::kAllreduce, "ring", ranks, 1, 2, true, Bytes(1000)), TaskKind::kCopy),
        1);
  }
}

// LibNBC's figure 1: rank 1 of 7 receives from 0, then sends to 3 and 5.
TEST(KNomial, of_seven_ranks_is_the_figure) {
  const Schedule schedule = build_named(Collective::kBcast, "k_nomial", 7, 1, 2, false);
  ASSERT_EQ(schedule.tasks.size(), 3u);
  EXPECT_EQ(schedule.tasks[0].kind, TaskKind::kRecv);
  EXPECT_EQ(schedule.tasks[0].peer, 0);
  EXPECT_EQ(schedule.tasks[1].kind, TaskKind::kSend);
  EXPECT_EQ(schedule.tasks[1].peer, 3);
  EXPECT_EQ(schedule.tasks[2].kind, TaskKind::kSend);
  EXPECT_EQ(schedule.tasks[2].peer, 5);
  EXPECT_EQ(schedule.predecessor_count, (std::vector<std::uint32_t>{0, 1, 1}));
}

TEST(EveryAlgorithm, sends_nothing_when_there_is_nothing_to_move) {
  for (const Algorithm& algorithm : catalog())
    for (const auto& [ranks, bytes] : {std::pair{1, 24}, std::pair{5, 0}}) {
      if (algorithm.collective == Collective::kBarrier && ranks > 1) continue;
      const Schedule schedule = build_example(
          algorithm, {.collective = algorithm.collective, .rank_count = ranks, .bytes = Bytes(bytes)}, {},
          Rank(0), false);
      EXPECT_EQ(messages_per_pair(schedule), 0u) << algorithm.name;
    }
}

}  // namespace
}  // namespace weft::tests
