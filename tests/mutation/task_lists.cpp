// SPDX-License-Identifier: BSD-3-Clause
// Damaged task lists: what is raised from them is not proved, or cannot be raised. One mutant for each rule.
#include "support/task_lists.hpp"

#include <gtest/gtest.h>

#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

using Lists = std::vector<TaskList>;

// "" if nobody objects.
std::string objection(const Lists& lists) {
  std::vector<Schedule> raised;
  for (const TaskList& list : lists) {
    auto schedule = raise(list);
    if (!schedule) return schedule.error();
    raised.push_back(std::move(*schedule));
  }
  return findings_of(raised);
}

Lists recursive_doubling(const Lowering& lowering = {}) {
  return lower_all(build_all(allreduce_of(4), "recursive_k_ing", 2), lowering);
}
// Its second receive waits for its place.
Lists with_a_late_receive() {
  return lower_all(build_all(allreduce_of(8), "k_nomial", 2), {.longest_mailbox = Bytes(0)});
}

template <class Is>
std::uint32_t find(const TaskList& list, Is is, std::uint32_t from = 0) {
  const auto found = std::find_if(list.tasks.begin() + from, list.tasks.end(), is);
  EXPECT_NE(found, list.tasks.end());
  return static_cast<std::uint32_t>(found - list.tasks.begin());
}
auto of_kind(ListTaskKind kind) {
  return [kind](const ListTask& task) { return task.kind == kind; };
}
bool is_last_of_its_queue(const TaskList& list, std::uint32_t at) {
  return std::none_of(list.tasks.begin() + at + 1, list.tasks.end(), [&](const ListTask& task) {
    return task.queue == list.tasks[at].queue && task.kind != ListTaskKind::kPostRecv;
  });
}

TEST(DamagedLists, no_wait_before_a_task_can_be_spared) {
  for (const QueueForm form : {QueueForm::kWaitsInSendQueues, QueueForm::kManagementQueue}) {
    const Lists lists = recursive_doubling({.form = form});
    ASSERT_EQ(objection(lists), "");
    for (std::uint32_t at = 0; at < lists[0].tasks.size(); ++at) {
      if (lists[0].tasks[at].kind != ListTaskKind::kWait || is_last_of_its_queue(lists[0], at)) continue;
      Lists damaged = lists;
      erase(damaged[0], at);
      EXPECT_NE(objection(damaged), "") << describe(lists[0], lists[0].tasks[at]);
    }
  }
}

TEST(DamagedLists, a_wait_for_too_few_is_found) {
  Lists lists = recursive_doubling();
  const auto at = find(lists[0], of_kind(ListTaskKind::kWait));
  lists[0].tasks[at].count = 0;
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, a_wait_for_more_than_ever_completes_is_found) {
  Lists lists = recursive_doubling();
  const auto at = find(lists[0], of_kind(ListTaskKind::kWait));
  lists[0].tasks[at].count = 9;
  EXPECT_NE(objection(lists).find("can never begin: nothing completes that often"), std::string::npos);
}

TEST(DamagedLists, a_wait_for_another_queue_is_found) {
  Lists lists = recursive_doubling();
  const auto at = find(lists[0], of_kind(ListTaskKind::kWait));
  const auto is_other = [&](const ListTask& task) {
    return task.kind == ListTaskKind::kPostRecv && arrivals_of(task.queue) != lists[0].tasks[at].other;
  };
  lists[0].tasks[at].other = arrivals_of(lists[0].tasks[find(lists[0], is_other)].queue);
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, a_task_before_its_wait_is_found) {
  Lists lists = recursive_doubling();
  const auto at = find(lists[0], of_kind(ListTaskKind::kWait));
  const auto calc = find(lists[0], of_kind(ListTaskKind::kCalc));
  std::rotate(lists[0].tasks.begin() + at, lists[0].tasks.begin() + calc, lists[0].tasks.begin() + calc + 1);
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, a_send_to_another_peer_is_found) {
  Lists lists = recursive_doubling();
  const auto at = find(lists[0], of_kind(ListTaskKind::kSend));
  const auto other = find(lists[0], of_kind(ListTaskKind::kSend), at + 1);
  std::swap(lists[0].tasks[at].queue, lists[0].tasks[other].queue);
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, operands_in_the_wrong_order_are_found) {
  Call call = allreduce_of(8);
  call.commutative = false;
  Lists lists = lower_all(build_all(call, "k_nomial", 2), {});
  ASSERT_EQ(objection(lists), "");
  TaskList& list = lists[4];  // its second child's sum goes to its parent as it is made
  const auto goes_to_parent = [&](const ListTask& task) {
    return task.kind == ListTaskKind::kCalc && list.queues[task.queue].kind == QueueKind::kPeer;
  };
  ListTask& calc = list.tasks[find(list, goes_to_parent)];
  ASSERT_TRUE(calc.source != kInput && calc.source != kOutput);
  std::swap(calc.source, calc.target);
  std::swap(calc.source_offset, calc.target_offset);
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, what_begins_without_being_enabled_is_found) {
  Lists lists = recursive_doubling({.form = QueueForm::kManagementQueue});
  const auto at = find(lists[0], [](const ListTask& task) { return task.disabled; });
  lists[0].tasks[at].disabled = false;
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, what_nothing_enables_is_found) {
  Lists lists = recursive_doubling({.form = QueueForm::kManagementQueue});
  erase(lists[0], find(lists[0], of_kind(ListTaskKind::kEnableSend)));
  EXPECT_NE(objection(lists), "");
  lists = with_a_late_receive();
  const auto has_late = [](const TaskList& list) {
    return std::any_of(list.tasks.begin(), list.tasks.end(), of_kind(ListTaskKind::kEnableRecv));
  };
  TaskList& list = *std::find_if(lists.begin(), lists.end(), has_late);
  erase(list, find(list, of_kind(ListTaskKind::kEnableRecv)));
  EXPECT_NE(objection(lists).find("can never begin"), std::string::npos);
}

TEST(DamagedLists, what_is_enabled_too_early_is_found) {
  Lists lists = recursive_doubling({.form = QueueForm::kManagementQueue});
  const auto enable = find(lists[0], of_kind(ListTaskKind::kEnableSend));
  const auto wait = find(lists[0], of_kind(ListTaskKind::kWait));
  ASSERT_LT(wait, enable);
  std::rotate(lists[0].tasks.begin() + wait, lists[0].tasks.begin() + enable,
              lists[0].tasks.begin() + enable + 1);
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, two_receives_in_one_mailbox_are_found) {
  Lists lists = lower_all(build_all(allreduce_of(16), "k_nomial", 4), {});
  ASSERT_EQ(objection(lists), "");
  TaskList& list = lists[0];
  ASSERT_GE(list.mailbox_count, 2U);
  const BufferId mailboxes(static_cast<std::uint8_t>(list.buffers.size() - 1));
  for (ListTask& task : list.tasks) {
    if (task.source == mailboxes) task.source_offset = Bytes(0);
    if (task.target == mailboxes) task.target_offset = Bytes(0);
  }
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, what_lies_beyond_its_buffer_is_found) {
  Lists lists = recursive_doubling();
  lists[0].tasks[find(lists[0], of_kind(ListTaskKind::kPostRecv))].target_offset = Bytes(1 << 20);
  EXPECT_NE(objection(lists).find("reaches beyond its buffer"), std::string::npos);
}

TEST(DamagedLists, a_queue_that_is_not_there_is_found) {
  Lists lists = recursive_doubling();
  lists[0].tasks[0].queue = 77;
  EXPECT_NE(objection(lists).find("there is no such queue"), std::string::npos);
}

// What a list's end stood for has to be waited for where lists are joined.
TEST(DamagedLists, an_end_that_is_left_out_is_found) {
  Lists lists = recursive_doubling({.most_tasks = 3});
  ASSERT_EQ(objection(lists), "");
  for (TaskList& list : lists) {
    ASSERT_GT(list.ends.size(), 1U);
    list.ends = {static_cast<std::uint32_t>(list.tasks.size())};
  }
  EXPECT_NE(objection(lists), "");
}

TEST(DamagedLists, tasks_in_no_list_are_found) {
  Lists lists = recursive_doubling();
  --lists[0].ends.back();
  EXPECT_NE(objection(lists).find("are in no list"), std::string::npos);
}

}  // namespace
}  // namespace weft::tests
