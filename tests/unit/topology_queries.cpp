// SPDX-License-Identifier: BSD-3-Clause
// Who is near whom, what travels across which level, and what this machine looks like.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "schedule/traffic.hpp"
#include "support/whole_call.hpp"
#include "topology/machine.hpp"
#include "topology/topology.hpp"

namespace weft::tests {
namespace {

std::vector<std::vector<int>> numbers(const std::vector<std::vector<Rank>>& groups) {
  std::vector<std::vector<int>> plain;
  for (const auto& group : groups) {
    plain.emplace_back();
    for (const Rank rank : group) plain.back().push_back(rank.value);
  }
  return plain;
}

TEST(TopologyQueries, the_nearest_common_ancestor_has_the_lowest_shared_level) {
  const auto topology = Topology::parse("node:2 socket:2 core:4");
  EXPECT_EQ(topology->nearest(Rank(0), Rank(0)), Level::kCore);
  EXPECT_EQ(topology->nearest(Rank(0), Rank(3)), Level::kSocket);
  EXPECT_EQ(topology->nearest(Rank(3), Rank(4)), Level::kNode);
  EXPECT_EQ(topology->nearest(Rank(7), Rank(8)), Level::kNetwork);
  EXPECT_EQ(topology->nearest(Rank(15), Rank(0)), Level::kNetwork);
  EXPECT_EQ(Topology::parse("socket:2 core:2")->nearest(Rank(1), Rank(2)), Level::kNode);
}

TEST(TopologyQueries, nearest_is_symmetric_and_agrees_with_the_groups) {
  const auto topology = Topology::parse("node:3 socket:1,2,1 core:3,1,2,4");
  ASSERT_TRUE(topology.ok()) << topology.error();
  for (int a = 0; a < topology->rank_count(); ++a)
    for (int b = 0; b < topology->rank_count(); ++b) {
      const Level level = topology->nearest(Rank(a), Rank(b));
      EXPECT_EQ(level, topology->nearest(Rank(b), Rank(a)));
      int together = 0;
      for (const auto& group : numbers(topology->groups(level)))
        together += std::count(group.begin(), group.end(), a) * std::count(group.begin(), group.end(), b);
      EXPECT_EQ(together, 1) << a << " and " << b;
    }
}

TEST(TopologyQueries, groups_partition_the_ranks_that_there_are) {
  const auto topology = Topology::parse("node:3 core:2")->with_ranks(5);
  EXPECT_EQ(numbers(topology->groups(Level::kNode)), (std::vector<std::vector<int>>{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(numbers(topology->groups(Level::kNetwork)), (std::vector<std::vector<int>>{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(topology->groups(Level::kCore).size(), 5u);
  EXPECT_TRUE(topology->groups(Level::kL3).empty());
  EXPECT_EQ(topology->with_ranks(2)->groups(Level::kNode).size(), 1u);
}

TEST(TopologyQueries, more_ranks_than_places_name_both_numbers) {
  const auto topology = Topology::parse("node:2 core:3");
  EXPECT_TRUE(topology->with_ranks(6).ok());
  EXPECT_EQ(topology->with_ranks(7).error(),
            "7 ranks do not fit: `node:2 core:3` has 6 places; use at most 6 ranks or a larger topology");
  EXPECT_EQ(topology->with_ranks(0).error(), "0 ranks asked for: at least 1 is needed");
}

TEST(TopologyQueries, json_has_the_whole_tree) {
  const auto json = nlohmann::json::parse(Topology::parse("node:2 core:2")->with_ranks(3)->json());
  EXPECT_EQ(json["text"], "node:2 core:2");
  EXPECT_EQ(json["places"], 4);
  EXPECT_EQ(json["ranks"], 3);
  EXPECT_EQ(json["root"], "network");
  EXPECT_EQ(json["children"][1]["ranks"], (std::vector<int>{2, 2}));
  EXPECT_EQ(json["children"][1]["children"][1]["ranks"], std::vector<int>());
  EXPECT_FALSE(json["children"][1]["children"][1].contains("children"));
}

TEST(TopologyTraffic, counts_every_message_at_the_level_that_it_crosses) {
  const auto topology = Topology::parse("node:2 core:2");
  const auto schedules = build_all(allreduce_of(4), "recursive_k_ing", 2);
  const auto levels = traffic(schedules, *topology);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].level, Level::kNetwork);
  EXPECT_EQ(levels[0].messages, 4);
  EXPECT_EQ(levels[0].bytes, Bytes(32));
  EXPECT_EQ(levels[1].level, Level::kNode);
  EXPECT_EQ(levels[1].messages, 4);
  EXPECT_EQ(levels[2].messages, 0);
}

TEST(TopologyMachine, is_seen_where_hwloc_is_there_and_missed_clearly_where_it_is_not) {
  const auto machine = detect_machine();
  if (void* library = dlopen("libhwloc.so.15", RTLD_LAZY)) {
    dlclose(library);
    ASSERT_TRUE(machine.ok()) << machine.error();
    EXPECT_GE(machine->topology.leaf_count(), 1);
    EXPECT_LE(machine->topology.leaf_count(), static_cast<int>(std::thread::hardware_concurrency()));
    EXPECT_EQ(machine->topology.root(), Level::kNode);
    EXPECT_EQ(Topology::parse(machine->topology.text())->layers(), machine->topology.layers());
  } else {
    EXPECT_NE(machine.error().find("install hwloc"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::tests
