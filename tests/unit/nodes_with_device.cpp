// SPDX-License-Identifier: BSD-3-Clause
#include "device/nodes_with_device.hpp"

#include <gtest/gtest.h>
#include <string>

namespace weft::tests {
namespace {

using device::Parted;

// One letter for each process: x where its node has the device.
std::string found(std::vector<int> node_of, std::vector<int> without_wire, std::vector<Parted> parted) {
  std::vector<char> has_wire(node_of.size(), 1);
  for (const int process : without_wire) has_wire[static_cast<std::size_t>(process)] = 0;
  std::string text;
  for (const char has : device::processes_with_device(node_of, has_wire, parted))
    text += has != 0 ? 'x' : '-';
  return text;
}

TEST(NodesWithDevice, are_all_where_everybody_reaches_everybody) {
  EXPECT_EQ(found({0, 1, 2}, {}, {}), "xxx");
  EXPECT_EQ(found({0, 0, 2, 2}, {}, {}), "xxxx");
  EXPECT_EQ(found({0, 0, 0}, {}, {}), "xxx");
}

TEST(NodesWithDevice, do_without_those_with_a_process_that_has_no_wire) {
  EXPECT_EQ(found({0, 1, 2, 3}, {2}, {}), "xx-x");
  EXPECT_EQ(found({0, 0, 2, 2, 4}, {1}, {}), "--xxx");
  EXPECT_EQ(found({0, 1, 0, 1, 4}, {3}, {}), "x-x-x");
}

TEST(NodesWithDevice, are_none_where_one_would_be_left) {
  EXPECT_EQ(found({0, 1}, {1}, {}), "--");
  EXPECT_EQ(found({0, 0, 2, 2}, {3}, {}), "----");
  EXPECT_EQ(found({0, 0, 0}, {1}, {}), "---");
  EXPECT_EQ(found({0, 1, 2}, {0, 1, 2}, {}), "---");
}

TEST(NodesWithDevice, do_without_the_one_that_lacks_most) {
  EXPECT_EQ(found({0, 1, 2, 3}, {}, {{1, 0}, {1, 2}, {3, 1}}), "x-xx");
  // One process of a node stands for it, and two of the same pair of nodes count once.
  EXPECT_EQ(found({0, 0, 2, 2, 4, 5}, {}, {{0, 2}, {1, 3}, {2, 4}, {3, 5}}), "xx--xx");
}

TEST(NodesWithDevice, do_without_the_higher_one_of_two_that_lack_as_much) {
  EXPECT_EQ(found({0, 1, 2}, {}, {{0, 1}}), "x-x");
  EXPECT_EQ(found({0, 1, 2}, {}, {{1, 0}}), "x-x");
  EXPECT_EQ(found({0, 1, 2, 3}, {}, {{0, 1}, {2, 3}}), "x-x-");
}

TEST(NodesWithDevice, do_without_one_whose_processes_do_not_reach_one_another) {
  EXPECT_EQ(found({0, 0, 2, 3}, {}, {{0, 1}}), "--xx");
  EXPECT_EQ(found({0, 0, 2, 3, 4}, {}, {{0, 1}, {2, 3}, {2, 4}}), "---xx");
}

TEST(NodesWithDevice, do_not_miss_those_that_have_none) {
  EXPECT_EQ(found({0, 1, 2, 3}, {3}, {{3, 0}, {3, 1}}), "xxx-");
}

TEST(NodesWithDevice, are_the_same_in_whatever_order_things_are_told) {
  const std::vector<Parted> parted{{0, 3}, {1, 3}, {4, 2}, {5, 1}};
  const std::string expected = found({0, 1, 2, 3, 4, 5}, {}, parted);
  EXPECT_EQ(found({0, 1, 2, 3, 4, 5}, {}, {parted.rbegin(), parted.rend()}), expected);
}

}  // namespace
}  // namespace weft::tests
