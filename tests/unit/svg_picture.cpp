// SPDX-License-Identifier: BSD-3-Clause
// The layout in rounds, and the picture that is made of it.
#include "schedule/rounds.hpp"
#include "schedule/svg.hpp"
#include "support/picture.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

TEST(Rounds, recursive_doubling_takes_logarithmically_many) {
  const auto schedules = build_all(allreduce_of(8), "recursive_k_ing", 2);
  const Rounds rounds = rounds_of(schedules);
  EXPECT_EQ(rounds.count, 3);
  EXPECT_EQ(rounds.messages.size(), 24u);
  for (const Message& message : rounds.messages)
    EXPECT_EQ(message.from.value ^ message.to.value, 1 << message.round) << "partners at distance 2^round";
}

TEST(Rounds, local_tasks_follow_the_messages_that_they_wait_for) {
  const auto schedules = build_all(allreduce_of(5), "ring", 2);
  const Rounds rounds = rounds_of(schedules);
  for (std::size_t rank = 0; rank < schedules.size(); ++rank)
    for (std::uint32_t task = 0; task < schedules[rank].tasks.size(); ++task)
      for (const TaskId next : schedules[rank].successors_of(TaskId(task))) {
        const int duration = is_message(schedules[rank].tasks[task].kind) ? 1 : 0;
        EXPECT_GE(rounds.start[rank][next.value], rounds.start[rank][task] + duration);
      }
}

TEST(Rounds, members_of_a_group_meet) {
  const auto schedules = node_level_schedules();
  const Rounds rounds = rounds_of(schedules);
  EXPECT_EQ(rounds.meetings.size(), 3u);
  for (const auto& starts : rounds.start) EXPECT_EQ(std::count(starts.begin(), starts.end(), kNever), 0);
}

TEST(Rounds, what_waits_for_a_lost_message_never_happens) {
  auto schedules = build_all(allreduce_of(2), "recursive_k_ing", 2);
  for (Task& task : schedules[1].tasks)
    if (task.kind == TaskKind::kSend) task.peer = 1;
  const Rounds rounds = rounds_of(schedules);
  for (std::size_t task = 0; task < schedules[0].tasks.size(); ++task)
    if (schedules[0].tasks[task].kind == TaskKind::kRecv) { EXPECT_EQ(rounds.start[0][task], kNever); }
  const std::string picture = svg(schedules);
  expect_well_formed(picture);
  EXPECT_GE(occurrences(picture, "never happens: rank 0"), 1u);
}

TEST(Rounds, a_cycle_of_edges_never_happens) {
  auto schedules = build_all(allreduce_of(2), "recursive_k_ing", 2);
  set_edges(schedules[0], std::vector<Edge>{{TaskId(0), TaskId(1)}, {TaskId(1), TaskId(0)}});
  EXPECT_EQ(rounds_of(schedules).start[0][0], kNever);
}

TEST(SvgPicture, shows_every_lane_message_and_local_task) {
  const auto schedules = build_all(allreduce_of(9), "recursive_k_ing", 3);
  const std::string picture = svg(schedules);
  expect_well_formed(picture);
  EXPECT_EQ(occurrences(picture, "class=\"lane\""), 9u);
  EXPECT_EQ(occurrences(picture, "class=\"message\""), 36u);
  EXPECT_EQ(occurrences(picture, ">round "), 2u);
  std::size_t local = 0;
  for (const Schedule& schedule : schedules)
    for (const Task& task : schedule.tasks) local += !is_message(task.kind);
  EXPECT_EQ(occurrences(picture, "class=\"sign\""), local);
}

TEST(SvgPicture, carries_its_themes_and_nothing_from_elsewhere) {
  const std::string picture = svg(build_all(allreduce_of(2), "recursive_k_ing"));
  EXPECT_EQ(occurrences(picture, "prefers-color-scheme: dark"), 1u);
  EXPECT_EQ(occurrences(picture, "http"), 1u) << "the name space is the only address";
  EXPECT_EQ(occurrences(picture, "<script"), 0u);
}

TEST(SvgPicture, writes_what_ranks_hold_and_escapes_it) {
  const std::string picture =
      svg(build_all(allreduce_of(2), "recursive_k_ing"), {.holds = {{"a<b", "c&d"}, {"e", "f"}}});
  expect_well_formed(picture);
  EXPECT_EQ(occurrences(picture, ">a&lt;b<"), 1u);
  EXPECT_EQ(occurrences(picture, ">c&amp;d<"), 1u);
  EXPECT_EQ(occurrences(picture, "class=\"note\""), 4u);
}

TEST(SvgPicture, draws_every_catalog_entry_and_node_level_tasks) {
  for (const Algorithm& algorithm : catalog())
    for (const int ranks : {1, 6})
      expect_well_formed(svg(build_all(
          {.collective = algorithm.collective, .rank_count = ranks, .bytes = Bytes(8)}, algorithm.name)));
  const std::string picture = svg(node_level_schedules());
  expect_well_formed(picture);
  EXPECT_EQ(occurrences(picture, "class=\"meeting\""), 3u);
}

TEST(SvgPicture, draws_the_steps_of_every_group) {
  EXPECT_EQ(occurrences(svg(build_over("node:2 core:4", "node", allreduce_of(8))), "class=\"meeting\""), 4u);
  EXPECT_EQ(occurrences(svg(build_over("node:2 socket:2 core:2", "socket+node", allreduce_of(8))),
                        "class=\"meeting\""),
            8u);
  std::vector<Schedule> twice;  // two groups of the same ranks
  for (int rank = 0; rank < 2; ++rank) {
    Builder b({.rank_count = 2}, Rank(rank), false);
    for (int i = 0; i < 2; ++i) {
      const GroupId all = b.group({Rank(0), Rank(1)});
      b.exchange(b.lines(all), all);
    }
    twice.push_back(std::move(b).finish("by hand"));
  }
  EXPECT_EQ(occurrences(svg(twice), "class=\"meeting\""), 2u);
}

}  // namespace
}  // namespace weft::tests
