// SPDX-License-Identifier: BSD-3-Clause
#include "device/wake_cost.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <sys/epoll.h>
#include <system_error>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "device/bell.hpp"

namespace weft::device {
namespace {

constexpr std::chrono::microseconds kUntilAsleep{200};  // the thread, and the core that it was on

// A thread that sleeps until its bell rings, and says when it woke.
class Sleeper {
 public:
  Sleeper(const Bell& bell, int waits_for) : bell_(bell), waits_for_(waits_for), thread_([this] { run(); }) {}
  ~Sleeper() {
    ends_.store(true, std::memory_order_release);
    bell_.ring();
    thread_.join();
  }
  Sleeper(const Sleeper&) = delete;

  Nanoseconds wake() {
    woken_.store(0, std::memory_order_relaxed);
    const Nanoseconds rung = elapsed_time();
    bell_.ring();
    std::int64_t woken = 0;
    while ((woken = woken_.load(std::memory_order_acquire)) == 0) {}
    return Nanoseconds(woken) - rung;
  }

 private:
  void run() {
    while (!ends_.load(std::memory_order_acquire)) {
      epoll_event event;
      if (::epoll_wait(waits_for_, &event, 1, -1) <= 0) continue;
      const Nanoseconds now = elapsed_time();
      bell_.hear();
      woken_.store(now.value, std::memory_order_release);
    }
  }

  const Bell& bell_;
  const int waits_for_;
  std::atomic<std::int64_t> woken_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace

Result<Nanoseconds> wake_cost(int times) {
  const Result<Bell> bell = Bell::make();
  if (!bell) return Error{bell.error()};
  const wire::Descriptor waits_for(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{.events = EPOLLIN, .data = {.fd = bell->descriptor()}};
  if (::epoll_ctl(waits_for.number(), EPOLL_CTL_ADD, bell->descriptor(), &event) != 0)
    return Error{std::string("nobody can wait for a bell: ") + std::strerror(errno)};
  std::vector<Nanoseconds> costs;
  try {
    Sleeper sleeper(*bell, waits_for.number());
    for (int time = 0; time < std::max(times, 1); ++time) {
      std::this_thread::sleep_for(kUntilAsleep);
      costs.push_back(sleeper.wake());
    }
  } catch (const std::system_error& error) {
    return Error{std::string("a thread cannot be started: ") + error.what()};
  }
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::nth_element(costs.begin(), middle, costs.end());
  return *middle;
}

}  // namespace weft::device
