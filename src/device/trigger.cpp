// SPDX-License-Identifier: BSD-3-Clause
#include "device/trigger.hpp"

#include <poll.h>
#include <sched.h>

#include "device/agent.hpp"
#include "device/quiet_thread.hpp"

namespace weft::device {

Result<std::unique_ptr<Trigger>> Trigger::make(Agent& agent, const std::optional<CpuSet>& cpus) {
  auto bell = Bell::make();
  if (!bell) return Error{bell.error()};
  auto made = std::unique_ptr<Trigger>(new Trigger(agent, std::move(*bell)));
  auto thread = start_quiet_thread("trigger", cpus, [trigger = made.get()] { trigger->run(); });
  if (!thread) return Error{thread.error()};
  made->thread_ = std::move(*thread);
  return made;
}

Trigger::~Trigger() {
  ends_.store(true, std::memory_order_release);
  bell_.ring();
  if (thread_.joinable()) thread_.join();
}

Trigger::Pull Trigger::pull(Work& work) {
  const Pull pull = pulled_.load(std::memory_order_relaxed) + 1;
  at_an_end_.emplace_back(pull, &work);
  count_at_an_end_.store(at_an_end_.size(), std::memory_order_relaxed);
  pulled_.store(pull, std::memory_order_release);
  bell_.ring();
  return pull;
}

void Trigger::let_go(Pull pull) {
  std::erase_if(at_an_end_, [pull](const auto& one) { return one.first == pull; });
  count_at_an_end_.store(at_an_end_.size(), std::memory_order_relaxed);
}

Nanoseconds Trigger::cpu_time() { return cpu_time_of(thread_); }

// Moving a work changes the list, at most by what it pulls anew.
bool Trigger::begin_lists() {
  const auto lock = agent_.try_lock();
  if (!lock.owns_lock()) return count_at_an_end_.load(std::memory_order_relaxed) == 0;
  moving_ = at_an_end_;
  for (const auto& [pull, work] : moving_)
    if (has_fired(pull)) agent_.move(*work);
  return true;
}

void Trigger::run() {
  pollfd bell{bell_.descriptor(), POLLIN, 0};
  while (true) {
    ::poll(&bell, 1, -1);
    bell_.hear();
    if (ends_.load(std::memory_order_acquire)) return;
    wakes_.fetch_add(1, std::memory_order_relaxed);
    fired_.store(pulled_.load(std::memory_order_acquire), std::memory_order_release);
    while (!begin_lists()) ::sched_yield();
  }
}

}  // namespace weft::device
