// SPDX-License-Identifier: BSD-3-Clause
// The JSON form says the same as the schedule.
#include <nlohmann/json.hpp>

#include "schedule/json.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

TEST(JsonSchedule, has_the_call_once_and_every_task) {
  Call call{.collective = Collective::kReduce, .rank_count = 6, .root = Rank(4), .bytes = Bytes(24)};
  call.element_bytes = Bytes(8);
  call.commutative = false;
  const auto schedules = build_all(call, "n_ary_tree", 2);
  const auto json = nlohmann::json::parse(weft::json(schedules));
  EXPECT_EQ(json["call"], (nlohmann::json{{"collective", "reduce"},
                                          {"ranks", 6},
                                          {"root", 4},
                                          {"bytes", 24},
                                          {"element_bytes", 8},
                                          {"commutative", false},
                                          {"user_defined", false}}));
  ASSERT_EQ(json["schedules"].size(), 6u);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    const auto& tasks = json["schedules"][rank]["tasks"];
    ASSERT_EQ(tasks.size(), schedules[rank].tasks.size());
    std::size_t edges = 0;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const Task& task = schedules[rank].tasks[t];
      EXPECT_EQ(tasks[t]["task"], t);
      EXPECT_EQ(tasks[t].contains("source"), reads_source(task.kind));
      EXPECT_EQ(tasks[t].contains("target"), writes_target(task.kind));
      EXPECT_EQ(tasks[t].contains("peer"), is_message(task.kind));
      if (is_message(task.kind)) { EXPECT_EQ(tasks[t]["peer"], task.peer); }
      edges += tasks[t]["after"].size();
    }
    EXPECT_EQ(edges, schedules[rank].successors.size());
  }
}

TEST(JsonSchedule, names_groups_and_leaders_of_node_level_tasks) {
  const auto json = nlohmann::json::parse(weft::json(node_level_schedules(), -1));
  const auto& schedule = json["schedules"][1];
  EXPECT_EQ(schedule["groups"], (nlohmann::json{{0, 1}}));
  EXPECT_EQ(schedule["buffers"][2],
            (nlohmann::json{{"name", "lines.0"}, {"role", "lines"}, {"bytes", 256}, {"group", 0}}));
  EXPECT_EQ(schedule["buffers"][3],
            (nlohmann::json{{"name", "shared.0"}, {"role", "shared"}, {"bytes", 16}, {"group", 0}}));
  EXPECT_EQ(schedule["tasks"][1]["kind"], "exchange");
  EXPECT_FALSE(schedule["tasks"][1].contains("leader"));
  EXPECT_EQ(schedule["tasks"][2]["leader"], 1);
}

TEST(JsonSchedule, is_valid_even_if_a_name_is_not) {
  auto schedules = build_all(allreduce_of(2), "recursive_k_ing");
  schedules[0].algorithm = "\xff\"\n";
  EXPECT_TRUE(nlohmann::json::accept(weft::json(schedules)));
}

}  // namespace
}  // namespace weft::tests
