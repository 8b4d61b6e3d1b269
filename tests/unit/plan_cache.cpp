// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_cache.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

struct TestPlan {
  std::int64_t bytes;
  bool busy = false;
  bool is_idle() const { return !busy; }
};

PlanKey shape(std::int64_t bytes) {
  return {{.collective = Collective::kAllreduce, .rank_count = 4, .bytes = Bytes(bytes)}, false};
}

struct Cache {
  PlanCache<TestPlan> plans;
  int made = 0, removals = 0;

  TestPlan& get(const PlanKey& key) {
    const auto make = [&] {
      ++made;
      return std::make_unique<TestPlan>(TestPlan{key.call.bytes.value});
    };
    const auto before_removal = [&] {
      EXPECT_GE(plans.size(), plans.kMostPlans) << "nothing has been removed yet";
      ++removals;
    };
    return plans.find_or_make(key, make, before_removal);
  }
};

TEST(PlanCache, builds_each_shape_once_and_keeps_its_address) {
  Cache cache;
  TestPlan* const first = &cache.get(shape(8));
  for (std::int64_t bytes = 0; bytes < 100; ++bytes) EXPECT_EQ(cache.get(shape(bytes)).bytes, bytes);
  for (std::int64_t bytes = 0; bytes < 100; ++bytes) EXPECT_EQ(cache.get(shape(bytes)).bytes, bytes);
  EXPECT_EQ(cache.made, 100);
  EXPECT_EQ(&cache.get(shape(8)), first);
  EXPECT_EQ(cache.removals, 0);
}

TEST(PlanCache, tells_every_part_of_the_shape_apart) {
  Cache cache;
  const Call call{
      .collective = Collective::kReduce, .rank_count = 4, .bytes = Bytes(8), .element_bytes = Bytes(8)};
  std::vector<PlanKey> keys(7, {call, false});
  keys[1].call.root = Rank(1);
  keys[2].call.bytes = Bytes(16);
  keys[3].call.element_bytes = Bytes(4);
  keys[4].call.commutative = false;
  keys[5].call.collective = Collective::kAllreduce;
  keys[6].in_place = true;
  for (const PlanKey& key : keys) cache.get(key);
  EXPECT_EQ(cache.made, 7);
}

TEST(PlanCache, stays_bounded_and_drops_the_least_recently_used_but_never_a_busy_plan) {
  Cache cache;
  cache.get(shape(-1)).busy = true;
  constexpr std::int64_t kShapes = 10'000;
  for (std::int64_t bytes = 0; bytes < kShapes; ++bytes) cache.get(shape(bytes));
  EXPECT_LE(cache.plans.size(), PlanCache<TestPlan>::kMostPlans + 1);
  EXPECT_GT(cache.removals, 0);
  EXPECT_FALSE(cache.plans.all_idle());
  cache.get(shape(-1)).busy = false;
  cache.get(shape(kShapes - 1));
  EXPECT_EQ(cache.made, kShapes + 1);
  EXPECT_TRUE(cache.plans.all_idle());
}

TEST(PlanCache, keeps_all_plans_while_all_are_busy) {
  Cache cache;
  for (std::int64_t bytes = 0; bytes < 1'000; ++bytes) cache.get(shape(bytes)).busy = true;
  EXPECT_EQ(cache.plans.size(), 1'000u);
}

}  // namespace
}  // namespace weft
