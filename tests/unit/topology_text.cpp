// SPDX-License-Identifier: BSD-3-Clause
// The written topology: parse(text()) is the same, and malformed texts are explained.
#include <gtest/gtest.h>

#include "topology/topology.hpp"

namespace weft::tests {
namespace {

std::string topology_error(std::string_view text) {
  const auto parsed = Topology::parse(text);
  return parsed.ok() ? "no error" : parsed.error();
}

TEST(TopologyText, is_read_and_written_alike) {
  for (const char* text :
       {"node:2 socket:2 core:4", "core:1", "network:3 node:2", "device:2 node:2 core:1", "socket:2 core:4,2",
        "node:1 socket:2 numa:2 l3:2 l2:4 core:2", "node:2 socket:1,2 core:3,1,2"}) {
    const auto topology = Topology::parse(text);
    ASSERT_TRUE(topology.ok()) << topology.error();
    EXPECT_EQ(topology->text(), text);
    EXPECT_EQ(*Topology::parse(topology->text()), *topology);
  }
}

TEST(TopologyText, counts_are_of_places_per_parent) {
  EXPECT_EQ(Topology::parse("node:2 socket:2 core:4")->leaf_count(), 16);
  EXPECT_EQ(Topology::parse("socket:2 core:4,2")->leaf_count(), 6);
  EXPECT_EQ(Topology::parse("  node:3\n\n core:5 # a comment\n")->rank_count(), 15);
}

TEST(TopologyText, uniform_counts_are_written_once) {
  EXPECT_EQ(Topology::parse("node:2 core:3,3")->text(), "node:2 core:3");
}

TEST(TopologyText, errors_name_line_column_and_what_is_allowed) {
  EXPECT_EQ(topology_error(""),
            "topology: line 1, column 1: expected a level such as `node:2`, found the end of the text");
  EXPECT_EQ(
      topology_error("node:2 rack:3"),
      "topology: line 1, column 8: expected one of the levels network, device, node, socket, numa, l3, l2, "
      "core, found "
      "`rack`");
  EXPECT_EQ(
      topology_error("core:2\nnode:3"),
      "topology: line 2, column 1: `node` cannot stand inside `core`: the order is network, device, node, "
      "socket, numa, "
      "l3, l2, core");
  EXPECT_EQ(topology_error("node:2 node:2"),
            "topology: line 1, column 8: `node` cannot stand inside `node`: the order is "
            "network, device, node, socket, numa, l3, l2, core");
  EXPECT_EQ(topology_error("node 2"), "topology: line 1, column 6: expected `:`, found `2`");
  EXPECT_EQ(topology_error("node:two"), "topology: line 1, column 6: expected a count, found `two`");
  EXPECT_EQ(topology_error("node:0"),
            "topology: line 1, column 6: expected a count from 1 to 16777216, found `0`");
  EXPECT_EQ(topology_error("node:-1"),
            "topology: line 1, column 6: expected a count from 1 to 16777216, found `-1`");
  EXPECT_EQ(topology_error("node:3 core:1,2"),
            "topology: line 1, column 8: `core` has 2 counts: write one for all, or 3, one "
            "per parent");
  EXPECT_EQ(
      topology_error("node:16777216 core:16777216"),
      "topology: line 1, column 15: `core` makes 281474976710656 places: at most 16777216 are supported");
  EXPECT_EQ(topology_error("node:2,"),
            "topology: line 1, column 8: expected a count, found the end of the text");
}

TEST(TopologyText, the_drawing_shows_every_part_with_its_ranks) {
  const auto topology = Topology::parse("node:2 core:2")->with_ranks(3);
  EXPECT_EQ(topology->tree(),
            "network: ranks 0-2\n"
            "├─ node 0: ranks 0-1\n"
            "│  ├─ core 0: rank 0\n"
            "│  └─ core 1: rank 1\n"
            "└─ node 1: rank 2\n"
            "   ├─ core 2: rank 2\n"
            "   └─ core 3: free\n");
}

}  // namespace
}  // namespace weft::tests
