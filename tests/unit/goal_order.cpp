// SPDX-License-Identifier: BSD-3-Clause
// What requires and irequires mean for the order of a rank's tasks.
#include "executor/simulator/goal_order.hpp"

#include <gtest/gtest.h>

namespace weft::tests {
namespace {

using simulator::GoalOrder;
using simulator::order_of;
using simulator::Requirement;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Tasks = std::vector<std::uint32_t>;

TEST(GoalOrder, keeps_the_order_of_the_text_where_it_may) {
  EXPECT_EQ(order_of(3, {}).tasks, (Tasks{0, 1, 2}));
  const GoalOrder order = order_of(4, {{.before = 3, .after = 1}, {.before = 0, .after = 1}});
  EXPECT_EQ(order.tasks, (Tasks{0, 2, 3, 1}));
  EXPECT_EQ(order.edges, (Edges{{0, 3}, {2, 3}}));
}

TEST(GoalOrder, says_twice_what_is_required_once) {
  EXPECT_EQ(order_of(2, {{.before = 0, .after = 1}, {.before = 0, .after = 1}}).edges, (Edges{{0, 1}}));
}

// 3 may begin with 2, 2 with 1, and 1 waits for 0.
TEST(GoalOrder, who_may_begin_with_another_waits_for_the_same) {
  const GoalOrder order = order_of(4, {{.before = 2, .after = 3, .is_begun_enough = true},
                                       {.before = 1, .after = 2, .is_begun_enough = true},
                                       {.before = 0, .after = 1}});
  EXPECT_EQ(order.edges, (Edges{{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_TRUE(order.joins.empty());
}

// On another processor nobody knows when it begins: 2 and, behind it, 3 wait for that of 1.
TEST(GoalOrder, who_may_begin_with_one_elsewhere_waits_for_its_beginning) {
  const GoalOrder order =
      order_of(4, {{.before = 0, .after = 1},
                   {.before = 1, .after = 2, .is_begun_enough = true, .is_elsewhere = true},
                   {.before = 2, .after = 3, .is_begun_enough = true}});
  EXPECT_EQ(order.edges, (Edges{{0, 1}, {1, 2}, {1, 3}}));
  EXPECT_EQ(order.begun, (Edges{{1, 2}, {1, 3}}));
}

TEST(GoalOrder, who_requires_the_end_as_well_waits_for_that) {
  const GoalOrder order =
      order_of(2, {{.before = 0, .after = 1, .is_begun_enough = true, .is_elsewhere = true},
                   {.before = 0, .after = 1, .is_elsewhere = true}});
  EXPECT_EQ(order.edges, (Edges{{0, 1}}));
  EXPECT_TRUE(order.begun.empty());
}

TEST(GoalOrder, who_may_begin_with_another_stands_behind_it) {
  EXPECT_EQ(order_of(2, {{.before = 1, .after = 0, .is_begun_enough = true}}).tasks, (Tasks{1, 0}));
}

TEST(GoalOrder, many_that_wait_for_the_same_many_share_a_join) {
  constexpr std::uint32_t kMany = 1000;
  std::vector<Requirement> requirements;
  for (std::uint32_t one = 0; one < kMany; ++one) {
    requirements.push_back({.before = one, .after = kMany});
    requirements.push_back({.before = kMany, .after = kMany + 1 + one, .is_begun_enough = true});
  }
  const GoalOrder order = order_of(2 * kMany + 1, requirements);
  EXPECT_EQ(order.joins, Tasks{kMany});
  EXPECT_EQ(order.edges.size(), 2 * kMany + 1);
  for (const auto& [before, after] : order.edges)
    EXPECT_TRUE(before == 2 * kMany + 1 || after == 2 * kMany + 1);
}

TEST(GoalOrder, names_a_circle_and_not_who_stands_behind_it) {
  const GoalOrder order = order_of(5, {{.before = 2, .after = 0},
                                       {.before = 3, .after = 2},
                                       {.before = 4, .after = 3},
                                       {.before = 2, .after = 4, .is_begun_enough = true}});
  EXPECT_EQ(order.circle.size(), 3u);
  for (const std::uint32_t task : order.circle) EXPECT_GE(task, 2u);
  EXPECT_EQ(order_of(1, {{.before = 0, .after = 0}}).circle, (Tasks{0}));
}

}  // namespace
}  // namespace weft::tests
