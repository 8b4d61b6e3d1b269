// SPDX-License-Identifier: BSD-3-Clause
// Task lists as pictures: everything is drawn, nothing stands above what it has to follow.
#include "schedule/task_list_layout.hpp"
#include "schedule/task_list_svg.hpp"
#include "support/picture.hpp"
#include "support/task_lists.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

constexpr QueueForm kForms[] = {QueueForm::kWaitsInSendQueues, QueueForm::kManagementQueue};

std::vector<Schedule> barrier_of(int ranks) {
  return build_all({.collective = Collective::kBarrier, .rank_count = ranks}, "recursive_k_ing");
}

std::size_t tasks_of(const std::vector<TaskList>& lists, bool (*are_counted)(ListTaskKind)) {
  std::size_t count = 0;
  for (const TaskList& list : lists)
    for (const ListTask& task : list.tasks) count += are_counted(task.kind);
  return count;
}

TEST(TaskListPicture, shows_every_task_and_what_it_points_to) {
  for (const auto& schedules : {barrier_of(4), barrier_of(8), build_all(allreduce_of(4), "recursive_k_ing")})
    for (const QueueForm form : kForms) {
      const auto lists = lower_all(schedules, {.form = form});
      const std::string picture = svg(lists);
      expect_well_formed(picture);
      const auto count = [&](auto are_counted) { return tasks_of(lists, are_counted); };
      EXPECT_EQ(occurrences(picture, "class=\"panel\""), lists.size());
      EXPECT_EQ(occurrences(picture, "class=\"line\""), lists.size());
      EXPECT_EQ(occurrences(picture, "class=\"task "), count([](ListTaskKind) { return true; }));
      EXPECT_EQ(occurrences(picture, "class=\"arrow waits\""),
                count([](ListTaskKind kind) { return kind == ListTaskKind::kWait; }));
      EXPECT_EQ(occurrences(picture, "class=\"arrow enables\""), count(is_enable));
      EXPECT_EQ(occurrences(picture, "class=\"arrow message\""),
                count([](ListTaskKind kind) { return kind == ListTaskKind::kPostRecv; }));
    }
}

TEST(TaskListPicture, of_one_rank_has_no_messages) {
  const auto lists = lower_all(barrier_of(8), {});
  const std::string picture = svg(std::span(lists).first(1));
  expect_well_formed(picture);
  EXPECT_EQ(occurrences(picture, "class=\"panel\""), 1u);
  EXPECT_EQ(occurrences(picture, "class=\"arrow message\""), 0u);
  EXPECT_EQ(occurrences(picture, "class=\"queue\""), 3u);
}

TEST(TaskListPicture, has_a_panel_for_each_list) {
  const auto lists = lower_all(build_all(allreduce_of(4), "recursive_k_ing"), {.most_tasks = 6});
  const std::string picture = svg(lists);
  expect_well_formed(picture);
  std::size_t parts = 0;
  for (const TaskList& list : lists) parts += list.ends.size();
  EXPECT_GT(parts, lists.size());
  EXPECT_EQ(occurrences(picture, "class=\"panel\""), parts);
  EXPECT_EQ(occurrences(picture, ">rank 3, list 1<"), 1u);
}

// Below the line; what is received is above it.
TEST(TaskListPicture, nothing_stands_above_what_it_follows) {
  for (const char* algorithm : {"recursive_k_ing", "ring", "k_nomial"})
    for (const QueueForm form : kForms)
      for (const TaskList& list : lower_all(build_all(allreduce_of(7, Bytes(64)), algorithm), {.form = form}))
        for (std::size_t part = 0; part < list.ends.size(); ++part) {
          const TaskListLayout layout = layout_of(list, part);
          std::vector<int> last(layout.columns.size(), -1);
          for (std::uint32_t id = list.begin_of(part); id < list.ends[part]; ++id) {
            const ListTask& task = list.tasks[id];
            const auto& [column, row] = layout.of(id);
            EXPECT_EQ(layout.columns[column], task.queue);
            if (task.kind == ListTaskKind::kPostRecv) {
              EXPECT_LT(row, layout.receive_rows);
              continue;
            }
            EXPECT_GT(row, last[column]);
            EXPECT_LT(row, layout.rows);
            last[column] = row;
            const auto other = layout.points_to[id - layout.begin];
            if (!other || list.tasks[*other].kind == ListTaskKind::kPostRecv) continue;
            if (task.kind == ListTaskKind::kWait) EXPECT_GT(row, layout.of(*other).row);
            else EXPECT_LT(row, layout.of(*other).row);
          }
        }
}

// A damaged list, whose waits wait for one another, is drawn all the same.
TEST(TaskListPicture, a_circle_of_waits_is_drawn) {
  auto lists = lower_all(barrier_of(4), {.form = QueueForm::kManagementQueue});
  for (ListTask& task : lists[0].tasks)
    if (task.kind == ListTaskKind::kWait) task.other = sends_of(queue_of(task.other));
  expect_well_formed(svg(lists));
}

TEST(TaskListPicture, draws_every_flat_algorithm) {
  for (const Algorithm& algorithm : catalog()) {
    const auto schedules =
        build_all({.collective = algorithm.collective, .rank_count = 5, .bytes = Bytes(8)}, algorithm.name);
    if (!has_groups(schedules)) expect_well_formed(svg(lower_all(schedules, {})));
  }
}

}  // namespace
}  // namespace weft::tests
