// SPDX-License-Identifier: BSD-3-Clause
// Trigger: the thread that posts the next task list, where an adapter executes one of bounded length by
// itself: a design to compare with, in which nobody else goes on at a list's end.
//
//   list 1                list 2               The last task of a list is a send to the process itself, on
//   … wait, send ─┐    ┌─► …                   a queue of its own: here a bell. It wakes the thread, which
//                 ▼    │                       begins the next list and goes to sleep again.
//        bell ─► thread
//
// Nobody moves the work over a list's end before the thread has woken up. Then whoever holds the agent's lock
// does, the thread itself where nobody does.
//
// Source: the co-design paper on AWP-ODC and P3DFFT, section III.A.2.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"
#include "device/bell.hpp"
#include "device/work.hpp"
#include "topology/machine.hpp"

namespace weft::device {

class Agent;

class Trigger {
 public:
  // Fails where the machine has no descriptor or thread left. The agent outlives it.
  static Result<std::unique_ptr<Trigger>> make(Agent& agent,
                                               const std::optional<CpuSet>& cpus = std::nullopt);
  ~Trigger();
  Trigger(const Trigger&) = delete;

  // By its number; none is 0.
  using Pull = std::uint64_t;

  // A list of the work has ended. The caller holds the agent's lock, for this and the next two.
  Pull pull(Work& work);
  // Whether the thread has woken up since.
  bool has_fired(Pull pull) const { return pull <= fired_.load(std::memory_order_acquire); }
  // The next list has begun, or never will.
  void let_go(Pull pull);

  // How often the thread has woken up, and what it has taken.
  std::uint64_t wakes() const { return wakes_.load(std::memory_order_relaxed); }
  Nanoseconds cpu_time();

 private:
  Trigger(Agent& agent, Bell bell) : agent_(agent), bell_(std::move(bell)) {}
  void run();
  bool begin_lists();

  Agent& agent_;
  const Bell bell_;
  std::vector<std::pair<Pull, Work*>> at_an_end_, moving_;  // under the agent's lock
  std::atomic<std::size_t> count_at_an_end_{0};
  std::atomic<Pull> pulled_{0}, fired_{0};
  std::atomic<std::uint64_t> wakes_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

// The way of an operation by lists that stops at their ends. The caller holds the agent's lock.
class ListsEnds {
 public:
  explicit ListsEnds(Trigger* trigger) : trigger_(trigger) {}

  // After the operation has started or moved, with what that said.
  template <class ListOperation, class Transport>
  Progress go_on(ListOperation& operation, Transport& transport, Work& work, Progress progress) {
    while (progress == Progress::kPending && operation.is_between_lists()) {
      if (pull_ == 0) pull_ = trigger_->pull(work);
      if (!trigger_->has_fired(pull_)) break;
      leave();
      progress = operation.begin_next(transport);
    }
    return progress;
  }
  // Nobody is waited for any more.
  void leave() {
    if (pull_ != 0) trigger_->let_go(std::exchange(pull_, 0));
  }

 private:
  Trigger* const trigger_;
  Trigger::Pull pull_ = 0;
};

}  // namespace weft::device
