// SPDX-License-Identifier: BSD-3-Clause
// The hierarchy of a topology: its tiers, who represents whom, and what is refused.
#include "topology/hierarchy.hpp"

#include <gtest/gtest.h>
#include <set>

#include "planner/placement.hpp"

namespace weft::tests {
namespace {

Hierarchy made(std::string_view topology, std::string_view depth, int ranks = 0,
               const std::vector<int>& places = {}) {
  Topology whole = *Topology::parse(topology);
  if (ranks > 0) whole = *whole.with_ranks(ranks);
  auto hierarchy = Hierarchy::make(whole, depth, places);
  if (!hierarchy) ADD_FAILURE() << hierarchy.error();
  return hierarchy ? *hierarchy : Hierarchy::flat(1);
}

std::string hierarchy_error(std::string_view topology, std::string_view depth) {
  const auto hierarchy = Hierarchy::make(*Topology::parse(topology), depth);
  return hierarchy.ok() ? "no error" : hierarchy.error();
}

TEST(Hierarchy, has_one_tier_per_level_and_what_all_have_in_common_on_top) {
  EXPECT_EQ(made("node:2 socket:2 core:2", "socket+node").text(),
            "network  messages  0───────4\n"
            "node     memory    0───2   4───6\n"
            "socket   memory    0─1 2─3 4─5 6─7\n");
  EXPECT_EQ(made("node:2 core:4", "node").text(),
            "network  messages  0───────4\n"
            "node     memory    0─1─2─3 4─5─6─7\n");
  EXPECT_EQ(made("node:2 core:4", "node+network").text(), made("node:2 core:4", "node").text());
  EXPECT_EQ(made("node:2 core:2", "flat").text(), "network  messages  0─1─2─3\n");
  EXPECT_EQ(made("socket:2 core:2", "socket").text(),
            "node     memory    0───2\n"
            "socket   memory    0─1 2─3\n");
  EXPECT_EQ(made("socket:2 core:2", "flat").text(), "node     memory    0─1─2─3\n");
}

TEST(Hierarchy, can_skip_levels_and_have_several_tiers_on_the_network) {
  EXPECT_EQ(made("node:2 socket:2 core:2", "socket").text(),
            "network  messages  0───2───4───6\n"
            "socket   memory    0─1 2─3 4─5 6─7\n");
  EXPECT_EQ(made("network:2 node:2 core:2", "node+network").text(),
            "network  messages  0───────4\n"
            "network  messages  0───2   4───6\n"
            "node     memory    0─1 2─3 4─5 6─7\n");
}

TEST(Hierarchy, groups_that_a_device_joins_stand_apart_from_those_that_messages_join) {
  EXPECT_EQ(made("device:2 node:2 core:2", "node+device").text(),
            "network  messages  0───────4\n"
            "device   device    0───2   4───6\n"
            "node     memory    0─1 2─3 4─5 6─7\n");
  EXPECT_EQ(made("device:2 node:2 core:2", "node").text(),
            "network  messages  0───2───4───6\n"
            "node     memory    0─1 2─3 4─5 6─7\n");
  EXPECT_EQ(made("network:2 device:1 node:2", "device+network").tiers()[0].joined, Joined::kDevice);
}

TEST(Hierarchy, depths_get_the_level_of_the_device_below_the_network) {
  EXPECT_EQ(with_device("node"), "node+device");
  EXPECT_EQ(with_device("l3+socket"), "l3+socket+device");
  EXPECT_EQ(with_device("node+network"), "node+device+network");
  EXPECT_EQ(with_device("network"), "device+network");
  for (const char* const as_it_is : {"flat", "node+device", "device", "socket+device+network"})
    EXPECT_EQ(with_device(as_it_is), as_it_is);
}

TEST(Hierarchy, levels_that_a_topology_lacks_can_be_left_out) {
  const auto depth_on = [](const char* topology, const char* depth) {
    return Hierarchy::make_from_what_is_there(*Topology::parse(topology), depth)->depth();
  };
  EXPECT_EQ(depth_on("node:2 socket:2 core:2", "l3+socket+node"), "socket+node");
  EXPECT_EQ(depth_on("node:2 core:2", "l3+socket"), "flat");
  EXPECT_FALSE(Hierarchy::make_from_what_is_there(*Topology::parse("node:2"), "rack").ok());
  EXPECT_EQ(
      levels_named("l3+rack").error(),
      "hierarchy `l3+rack`: there is no level `rack`; write flat, or levels from near to far joined by +, "
      "out of core, l2, l3, numa, socket, node, device, network");
}

TEST(Hierarchy, follows_the_ranks_that_there_are) {
  EXPECT_EQ(made("node:2 core:5,3", "node", 7).text(),
            "network  messages  0─────────5\n"
            "node     memory    0─1─2─3─4 5─6\n");
  EXPECT_EQ(made("node:2 core:4", "node", 3).text(), "node     memory    0─1─2\n");
  EXPECT_EQ(made("node:2 core:4", "node", 1).text(), "network  messages  0\n");
}

TEST(Hierarchy, leaves_out_levels_that_join_nobody) {
  EXPECT_EQ(made("node:3 socket:1 core:2", "socket+node").text(),
            "network  messages  0───2───4\n"
            "socket   memory    0─1 2─3 4─5\n");
  EXPECT_EQ(made("node:4", "node").text(), "network  messages  0─1─2─3\n");
  EXPECT_EQ(made("node:1 core:2", "core+node").text(), "node     memory    0─1\n");
}

TEST(Hierarchy, the_leader_represents_its_groups_and_nobody_changes_group) {
  const Hierarchy hierarchy = made("node:2 socket:2 core:2", "socket+node");
  EXPECT_EQ(hierarchy.led_by(Rank(7)).text(),
            "network  messages  0─────────────7\n"
            "node     memory    0───2   4─────7\n"
            "socket   memory    0─1 2─3 4─5 6─7\n");
  EXPECT_EQ(hierarchy.led_by(Rank(0)).text(), hierarchy.text());
  EXPECT_EQ(hierarchy.led_by(Rank(3)).order(), hierarchy.order());
}

TEST(Hierarchy, seats_lead_from_the_nearest_group_to_where_one_is_no_longer_the_representative) {
  const Hierarchy hierarchy = made("node:2 socket:2 core:2", "socket+node").led_by(Rank(7));
  ASSERT_EQ(hierarchy.seats(Rank(7)).size(), 3u);
  EXPECT_TRUE(hierarchy.seats(Rank(7))[2].represents());
  EXPECT_EQ(hierarchy.seats(Rank(6)).size(), 1u);
  const auto seats = hierarchy.seats(Rank(4));
  ASSERT_EQ(seats.size(), 2u);
  EXPECT_EQ(hierarchy.members(seats[1]), (std::vector{Rank(4), Rank(7)}));
  EXPECT_EQ(seats[1].place, 0);
  EXPECT_EQ(seats[1].representative, 1);
}

TEST(Hierarchy, every_tier_has_the_representatives_of_the_one_below) {
  for (const char* depth : {"flat", "node", "socket+node", "numa+node", "numa+socket+node", "core+socket"})
    for (const int leader : {0, 5, 13}) {
      const Hierarchy hierarchy = made("node:3 socket:2 numa:2 core:2", depth, 14).led_by(Rank(leader));
      std::multiset<Rank> expected;
      for (int rank = 0; rank < 14; ++rank) expected.insert(Rank(rank));
      for (std::size_t t = 0; t < hierarchy.tiers().size(); ++t) {
        std::multiset<Rank> present, next;
        const auto groups = hierarchy.groups(static_cast<int>(t));
        for (const auto& group : groups) present.insert(group.begin(), group.end());
        EXPECT_EQ(present, expected) << depth << " tier " << t;
        for (const Rank rank : present) {
          const auto seats = hierarchy.seats(rank);
          ASSERT_GT(seats.size(), t);
          EXPECT_EQ(hierarchy.member(seats[t], seats[t].place), rank);
          if (seats[t].represents()) next.insert(rank);
        }
        EXPECT_EQ(next.size(), groups.size());
        expected = next;
      }
      EXPECT_EQ(expected, std::multiset{Rank(leader)}) << depth;
    }
}

TEST(Hierarchy, groups_need_not_be_neighbours) {
  const std::vector<int> places{0, 2, 1, 3, 4, 6};  // ranks 0 and 2, 1 and 3, 4, 5
  const Hierarchy hierarchy = made("node:2 socket:2 core:2", "socket+node", 6, places);
  EXPECT_EQ(hierarchy.text(),
            "network  messages  0───────4\n"
            "node     memory    0───1   4─5\n"
            "socket   memory    0─2 1─3 4 5\n");
  EXPECT_EQ(hierarchy.order(), (std::vector{Rank(0), Rank(2), Rank(1), Rank(3), Rank(4), Rank(5)}));
  EXPECT_EQ(hierarchy.parts(1).ranks(1), (std::vector{Rank(1), Rank(3)}));
  EXPECT_EQ(hierarchy.parts(2).ranks(1), (std::vector{Rank(4), Rank(5)}));
  EXPECT_EQ(hierarchy.parts(3).count(), 1);
  EXPECT_EQ(hierarchy.parts(3).ranks(0), hierarchy.order());
  EXPECT_EQ(hierarchy.led_by(Rank(3)).parts(2).ranks(0), hierarchy.parts(2).ranks(0));
  EXPECT_FALSE(hierarchy.keeps_rank_order());
  EXPECT_TRUE(made("node:2 socket:2 core:2", "socket+node").keeps_rank_order());
}

TEST(Hierarchy, knows_who_shares_memory_whatever_its_tiers) {
  EXPECT_EQ(made("node:2 core:2", "flat").node_of(Rank(3)), (std::vector{Rank(2), Rank(3)}));
  EXPECT_EQ(made("node:2 socket:2 core:1", "socket").node_of(Rank(0)), (std::vector{Rank(0), Rank(1)}));
  EXPECT_EQ(made("socket:2 core:2", "socket").node_of(Rank(0)).size(), 4u);
  EXPECT_EQ(made("network:3", "flat").node_of(Rank(1)).size(), 1u);
  EXPECT_EQ(Hierarchy::flat(4).node_of(Rank(1)), std::vector{Rank(1)});
}

TEST(Hierarchy, large_ones_are_counted) {
  EXPECT_EQ(made("node:16 core:64", "node").text(),
            "network  messages  1 group of 16\n"
            "node     memory    16 groups of 64\n");
}

TEST(Hierarchy, errors_name_the_depth_what_is_wrong_and_what_is_allowed) {
  const std::string allowed =
      "; write flat, or levels from near to far joined by +, out of core, node, network for `node:2 core:4`";
  EXPECT_EQ(hierarchy_error("node:2 core:4", "rack"), "hierarchy `rack`: there is no level `rack`" + allowed);
  EXPECT_EQ(hierarchy_error("node:2 core:4", ""), "hierarchy ``: there is no level ``" + allowed);
  EXPECT_EQ(hierarchy_error("node:2 core:4", "node+"), "hierarchy `node+`: there is no level ``" + allowed);
  EXPECT_EQ(hierarchy_error("node:2 core:4", "flat+node"),
            "hierarchy `flat+node`: there is no level `flat`" + allowed);
  EXPECT_EQ(hierarchy_error("node:2 core:4", "socket+node"),
            "hierarchy `socket+node`: the topology has no socket" + allowed);
  EXPECT_EQ(hierarchy_error("node:2 core:4", "node+core"),
            "hierarchy `node+core`: core does not come after node" + allowed);
  EXPECT_EQ(
      hierarchy_error("node:2 socket:2 numa:2 l3:2 core:2", "l3+numa+socket+node"),
      "hierarchy `l3+numa+socket+node`: 4 of its tiers share memory, and 3 is the most: leave levels out");
}

}  // namespace
}  // namespace weft::tests
