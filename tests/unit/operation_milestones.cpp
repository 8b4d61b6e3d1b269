// SPDX-License-Identifier: BSD-3-Clause
// An operation's start, first received data and end, on a clock that the test sets.
#include <gtest/gtest.h>

#include "support/case.hpp"
#include "support/whole_call.hpp"
#include "transport/in_process.hpp"

namespace weft::tests {
namespace {

Nanoseconds now;
Nanoseconds read_now() { return now; }

class OperationMilestones : public testing::Test {
 protected:
  OperationMilestones() {
    now = {};
    operation_times = &times;
  }
  ~OperationMilestones() override { operation_times = nullptr; }

  OperationTimes times{.clock = read_now};
};

// One rank of a call; its partners move only when the test lets them.
struct Member {
  Member(Network& network, const Schedule& schedule)
      : operation(schedule), end(network, schedule.self), data(64, std::byte{1}) {}

  Progress start() {
    return operation.start(end, {.input = data.data(), .output = data.data() + 32, .combine = kSum});
  }
  Progress progress() { return operation.progress(end); }

  Operation<InProcess> operation;
  InProcess end;
  Data data;
};

TEST_F(OperationMilestones, split_an_operation_at_its_first_received_data) {
  const auto schedules = build_all(allreduce_of(4), "recursive_k_ing");
  Network network(4);
  std::vector<std::unique_ptr<Member>> ranks;
  ranks.reserve(schedules.size());
  for (const Schedule& schedule : schedules) ranks.push_back(std::make_unique<Member>(network, schedule));

  now = Nanoseconds(1000);
  ASSERT_EQ(ranks[0]->start(), Progress::kPending);
  now = Nanoseconds(1100);  // nothing has come yet
  ASSERT_EQ(ranks[0]->progress(), Progress::kPending);
  EXPECT_EQ(times.count, 0);
  operation_times = nullptr;  // rank 0's alone are of interest
  ASSERT_EQ(ranks[1]->start(), Progress::kPending);
  operation_times = &times;
  now = Nanoseconds(1500);
  ASSERT_EQ(ranks[0]->progress(), Progress::kPending);
  now = Nanoseconds(1800);
  operation_times = nullptr;
  ranks[2]->start(), ranks[3]->start(), ranks[2]->progress();
  operation_times = &times;
  ASSERT_EQ(ranks[0]->progress(), Progress::kDone);
  EXPECT_EQ(times.count, 1);
  EXPECT_EQ(times.until_first_data.value, 500);
  EXPECT_EQ(times.after_first_data.value, 300);
}

TEST_F(OperationMilestones, do_not_wait_where_nothing_is_received) {
  const Call call{.collective = Collective::kBcast, .rank_count = 2, .bytes = Bytes(8)};
  const auto schedules = build_all(call, "k_nomial");
  Network network(2);
  Member root(network, schedules[0]);
  now = Nanoseconds(10);
  ASSERT_EQ(root.start(), Progress::kDone);
  EXPECT_EQ(times.count, 1);
  EXPECT_EQ(times.until_first_data.value, 0);
}

TEST_F(OperationMilestones, leave_out_operations_that_began_before) {
  const auto schedules = build_all(allreduce_of(2), "recursive_k_ing");
  Network network(2);
  Member zero(network, schedules[0]), one(network, schedules[1]);
  operation_times = nullptr;
  ASSERT_EQ(zero.start(), Progress::kPending);
  now = Nanoseconds(2000);
  times = {.clock = read_now, .since = now};
  operation_times = &times;
  now = Nanoseconds(2100);
  ASSERT_EQ(one.start(), Progress::kDone);
  ASSERT_EQ(zero.progress(), Progress::kDone);
  EXPECT_EQ(times.count, 1);
  EXPECT_EQ(times.until_first_data.value + times.after_first_data.value, 0);
}

}  // namespace
}  // namespace weft::tests
