// SPDX-License-Identifier: BSD-3-Clause
// Task lists as the papers draw them: the queues of the barrier of four and of eight, and of recursive
// doubling of four.
#include "support/task_lists.hpp"

#include "schedule/task_list_text.hpp"
#include "support/golden.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

std::string both_forms(const std::vector<Schedule>& schedules) {
  std::string text;
  for (const QueueForm form : {QueueForm::kWaitsInSendQueues, QueueForm::kManagementQueue})
    text += draw(lower_all(schedules, {.form = form})[0]);
  return text;
}

TEST(GoldenTaskLists, barrier_of_four) {
  const Call call{.collective = Collective::kBarrier, .rank_count = 4};
  expect_golden("task_lists_barrier_4_ranks", both_forms(build_all(call, "recursive_k_ing")));
}

// The slide "8 Process barrier example – queue view – no MQ".
TEST(GoldenTaskLists, barrier_of_eight) {
  const Call call{.collective = Collective::kBarrier, .rank_count = 8};
  expect_golden("task_lists_barrier_8_ranks", both_forms(build_all(call, "recursive_k_ing")));
}

TEST(GoldenTaskLists, recursive_doubling_of_four) {
  const auto schedules = build_all(allreduce_of(4), "recursive_k_ing");
  expect_golden("task_lists_recursive_doubling_4_ranks", both_forms(schedules));
  const Lowering short_lists{.most_tasks = 6};
  expect_golden("task_lists_recursive_doubling_4_ranks_short_lists",
                draw(lower_all(schedules, short_lists)[0]) + json(lower_all(schedules, short_lists)) + "\n");
}

// Inner ranks of a tree: sums of their own, and one that goes to the parent as it is made.
TEST(GoldenTaskLists, reduction_to_a_parent) {
  const auto lists = lower_all(build_all(allreduce_of(8), "k_nomial"), {});
  expect_golden("task_lists_k_nomial_8_ranks", draw(lists[0]) + draw(lists[4]) + draw(lists[7]));
}

}  // namespace
}  // namespace weft::tests
