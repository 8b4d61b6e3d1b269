// SPDX-License-Identifier: BSD-3-Clause
#include "base/yield_costs.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr Nanoseconds kShort{400}, kSlice{3'000'000};

// A rank that yields again and again; `loses(i)`: whether the i-th loses a time slice.
struct Yielding {
  YieldCosts costs;
  Nanoseconds now{0};
  int tried = 0;

  template <class Loses>
  void go_on(int looks, Loses loses) {
    for (int i = 0; i < looks; ++i) {
      now = now + Nanoseconds(100);
      if (!costs.are_to_be_tried(now)) continue;
      const Nanoseconds away = loses(tried++) ? kSlice : kShort;
      now = now + away;
      costs.note(now, away);
    }
  }
};

TEST(YieldCosts, a_slice_lost_now_and_then_is_not_dear) {
  Yielding rank;
  rank.go_on(100'000, [](int i) { return i % 1000 == 0; });
  EXPECT_FALSE(rank.costs.are_dear());
  EXPECT_EQ(rank.tried, 100'000);
}

TEST(YieldCosts, slices_lost_again_and_again_are) {
  Yielding rank;
  rank.go_on(10, [](int i) { return i % 3 == 0; });
  EXPECT_TRUE(rank.costs.are_dear());
  EXPECT_LE(rank.tried, 4);
}

TEST(YieldCosts, what_is_dear_costs_two_per_cent_of_all_time) {
  Yielding rank;
  rank.go_on(100'000'000, [](int) { return true; });
  const double lost = static_cast<double>(rank.tried) * static_cast<double>(kSlice.value);
  EXPECT_GT(rank.tried, 60);
  EXPECT_LT(lost / static_cast<double>(rank.now.value), 0.021);
}

TEST(YieldCosts, who_has_its_core_for_itself_again_yields_again) {
  Yielding rank;
  rank.go_on(10, [](int) { return true; });
  ASSERT_TRUE(rank.costs.are_dear());
  const int tried = rank.tried;
  rank.go_on(10'000'000, [](int) { return false; });
  EXPECT_FALSE(rank.costs.are_dear());
  EXPECT_GT(rank.tried, tried + 1'000'000);
}

}  // namespace
}  // namespace weft
