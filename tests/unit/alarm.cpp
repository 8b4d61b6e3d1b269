// SPDX-License-Identifier: BSD-3-Clause
// Alarms: once, at the last time that was set.
#include "device/alarm.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <utility>

namespace weft::tests {
namespace {

constexpr Nanoseconds kSoon{1'000'000}, kNever{1'000'000'000'000};

bool goes_off(const device::Alarm& alarm, int within_ms) {
  pollfd readable{alarm.descriptor(), POLLIN, 0};
  return ::poll(&readable, 1, within_ms) == 1;
}

TEST(Alarm, goes_off_once_at_the_time_set_last) {
  const device::Alarm alarm = std::move(*device::Alarm::make());
  EXPECT_FALSE(goes_off(alarm, 0));
  alarm.set(kNever);
  EXPECT_FALSE(goes_off(alarm, 5));
  alarm.set(kSoon);
  EXPECT_TRUE(goes_off(alarm, 60'000));
  alarm.hear();
  EXPECT_FALSE(goes_off(alarm, 5));
}

}  // namespace
}  // namespace weft::tests
