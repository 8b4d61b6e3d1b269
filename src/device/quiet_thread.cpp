// SPDX-License-Identifier: BSD-3-Clause
#include "device/quiet_thread.hpp"

#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <pthread.h>
#include <system_error>
#include <utility>

#include "base/clock.hpp"

namespace weft::device {

Result<std::thread> start_quiet_thread(std::string_view whose, const std::optional<CpuSet>& cpus,
                                       std::function<void()> run) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  std::string problem;
  try {
    thread = std::thread([run = std::move(run), cpus] {
      if (cpus) run_on(*cpus);
      run();
    });
  } catch (const std::system_error& error) {
    problem = fmt::format("the {}'s thread cannot be started: {}", whose, error.what());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!problem.empty()) return Error{problem};
  return thread;
}

Nanoseconds cpu_time_of(std::thread& thread) {
  clockid_t clock{};
  return ::pthread_getcpuclockid(thread.native_handle(), &clock) == 0 ? read_clock(clock) : Nanoseconds(0);
}

}  // namespace weft::device
