// SPDX-License-Identifier: BSD-3-Clause
// Which tasks a builder makes of what an algorithm says.
#include <gtest/gtest.h>

#include "executor/verifier/verify.hpp"
#include "schedule/builder.hpp"

namespace weft::tests {
namespace {

TEST(Builder, makes_no_tasks_of_empty_ranges) {
  const Call call{
      .collective = Collective::kAllreduce, .rank_count = 2, .bytes = Bytes(8), .element_bytes = Bytes(8)};
  Builder b(call, Rank(0), false);
  const Range nothing = b.output().part(Bytes(8), Bytes(0));
  b.send(1, nothing);
  b.recv(1, nothing);
  b.copy(b.input().part(Bytes(0), Bytes(0)), nothing);
  b.reduce(b.input().part(Bytes(0), Bytes(0)), nothing);
  EXPECT_TRUE(std::move(b).finish("nothing").tasks.empty());
}

TEST(Builder, lets_signals_travel_without_bytes) {
  const Call call{.collective = Collective::kBarrier, .rank_count = 2};
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < 2; ++rank) {
    Builder b(call, Rank(rank), false);
    b.await_signal(1 - rank);
    b.signal(1 - rank);
    schedules.push_back(std::move(b).finish("each tells the other"));
  }
  const Report report = verify(schedules);
  EXPECT_TRUE(report.proved());
  EXPECT_EQ(report.messages, 2);
}

}  // namespace
}  // namespace weft::tests
