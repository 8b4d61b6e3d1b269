// SPDX-License-Identifier: BSD-3-Clause
// Schedules as GOAL programs, for calls that people can check by hand.
#include "schedule/goal.hpp"
#include "support/golden.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

// Three is no power of two: rank 1 is extra.
TEST(Golden, goal_of_recursive_doubling_on_three_ranks) {
  expect_golden("goal_recursive_k_ing_3_ranks", *goal(build_all(allreduce_of(3), "recursive_k_ing")));
}

// Two messages from each rank to the next: each has a tag of its own.
TEST(Golden, goal_of_a_ring_on_two_ranks_with_costs) {
  const auto schedules = build_all(allreduce_of(2, Bytes(4000)), "ring");
  expect_golden("goal_ring_allreduce_2_ranks_with_costs",
                *goal(schedules, {.copy_ns_per_byte = 0.1, .reduce_ns_per_byte = 0.25}));
}

}  // namespace
}  // namespace weft::tests
