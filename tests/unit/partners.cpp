// SPDX-License-Identifier: BSD-3-Clause
// Whom processes meet in MPI_Init.
#include "transport/wire/partners.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "support/case.hpp"

namespace weft::tests {
namespace {

TEST(WirePartners, are_few_and_mutual_and_reach_everybody) {
  Random random(base_seed());
  for (int turn = 0; turn < 50; ++turn) {
    // Nodes of one size or of any, whose processes have numbers in a row or in turn.
    const int processes = 1 + static_cast<int>(random.below(300)),
              nodes = 1 + static_cast<int>(random.below(40));
    const std::uint64_t how = random.below(3);
    std::vector<int> node_of, first(static_cast<std::size_t>(nodes), -1);
    for (int process = 0; process < processes; ++process) {
      const int node = how == 0   ? process * nodes / processes
                       : how == 1 ? process % nodes
                                  : static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
      int& lowest = first[static_cast<std::size_t>(node)];
      if (lowest < 0) lowest = process;
      node_of.push_back(lowest);
    }
    std::vector<std::vector<int>> partners;
    for (int self = 0; self < processes; ++self) {
      partners.push_back(wire::partners_of(self, node_of, 1).met);
      EXPECT_LE(partners.back().size(), 2U * (9 + 6));
    }
    std::vector<char> is_reached(partners.size(), 0);
    std::vector<int> reached{0};
    is_reached[0] = 1;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const int other : partners[static_cast<std::size_t>(reached[i])]) {
        const auto& theirs = partners[static_cast<std::size_t>(other)];
        EXPECT_EQ(std::count(theirs.begin(), theirs.end(), reached[i]), 1);
        if (!std::exchange(is_reached[static_cast<std::size_t>(other)], 1)) reached.push_back(other);
      }
    EXPECT_EQ(static_cast<int>(reached.size()), processes);
  }
}

TEST(WirePartners, are_all_in_a_small_job_and_nobody_where_nothing_is_proved) {
  const std::vector<int> node_of(10, 0);
  EXPECT_EQ(wire::partners_of(3, node_of, 10).met, (std::vector{0, 1, 2, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(wire::partners_of(3, node_of, 10).are_all);
  EXPECT_EQ(wire::partners_of(3, node_of, 9).met, (std::vector{1, 2, 4, 5, 7, 9}));
  EXPECT_TRUE(wire::partners_of(3, node_of, 0).met.empty());
  EXPECT_EQ(wire::partners_of(3, node_of, 0).confidants, wire::partners_of(3, node_of, 9).met);
}

TEST(WirePartners, are_those_of_the_nodes_that_have_the_device) {
  const std::vector<int> node_of{0, 0, 2, 2, 4, 4};
  const std::vector<char> are_there{1, 1, 0, 0, 1, 1};
  const wire::Partners few = wire::partners_of(1, node_of, 4, are_there);
  EXPECT_TRUE(few.are_all);
  EXPECT_EQ(few.met, (std::vector{0, 4, 5}));
  EXPECT_EQ(wire::partners_of(1, node_of, 3, are_there).met, (std::vector{0, 5}));
}

}  // namespace
}  // namespace weft::tests
