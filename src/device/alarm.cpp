// SPDX-License-Identifier: BSD-3-Clause
#include "device/alarm.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace weft::device {

Result<Alarm> Alarm::make() {
  Alarm alarm;
  alarm.timer_ = wire::Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!alarm.timer_.is_open()) return Error{fmt::format("the agent has no alarm: {}", std::strerror(errno))};
  return alarm;
}

void Alarm::set(Nanoseconds from_now) const {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const itimerspec once{.it_interval = {}, .it_value = {from_now.value / kSecond, from_now.value % kSecond}};
  ::timerfd_settime(timer_.number(), 0, &once, nullptr);
}

void Alarm::hear() const {
  std::uint64_t times = 0;
  [[maybe_unused]] const ssize_t heard = ::read(timer_.number(), &times, sizeof times);
}

}  // namespace weft::device
