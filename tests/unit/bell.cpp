// SPDX-License-Identifier: BSD-3-Clause
// Bells: rung from here and from outside, and never somebody else's file.
#include "device/bell.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <utility>

#include "device/wake_cost.hpp"

namespace weft::tests {
namespace {

bool is_rung(const device::Bell& bell) {
  pollfd readable{bell.descriptor(), POLLIN, 0};
  return ::poll(&readable, 1, 0) == 1;
}

TEST(Bell, is_heard_once_however_often_it_is_rung) {
  const device::Bell bell = std::move(*device::Bell::make());
  const device::BellRope rope(bell.ticket());
  ASSERT_TRUE(rope.is_open());
  EXPECT_FALSE(is_rung(bell));
  for (int times = 0; times < 100'000; ++times) rope.ring();  // more than a pipe holds
  bell.ring();
  EXPECT_TRUE(is_rung(bell));
  bell.hear();
  EXPECT_FALSE(is_rung(bell));
}

TEST(Bell, is_not_looked_for_in_another_file) {
  const device::Bell bell = std::move(*device::Bell::make());
  device::BellTicket other = bell.ticket();
  ++other.inode;
  EXPECT_FALSE(device::BellRope(other).is_open());
  other = bell.ticket();
  other.descriptor = 1'000'000;
  EXPECT_FALSE(device::BellRope(other).is_open());
}

TEST(Bell, may_be_rung_when_its_owner_is_gone) {
  device::BellRope rope;
  {
    const device::Bell bell = std::move(*device::Bell::make());
    rope = device::BellRope(bell.ticket());
  }
  rope.ring();
}

TEST(WakeCost, is_measured) {
  for (const int times : {0, 1, 20}) {
    const Result<Nanoseconds> cost = device::wake_cost(times);
    ASSERT_TRUE(cost) << cost.error();
    EXPECT_GT(*cost, Nanoseconds(0));
  }
}

}  // namespace
}  // namespace weft::tests
