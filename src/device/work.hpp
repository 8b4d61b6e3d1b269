// SPDX-License-Identifier: BSD-3-Clause
// Work: one operation that an agent moves.
#pragma once

#include <atomic>
#include <cstddef>

#include "transport/transport.hpp"

namespace weft::device {

class Work {
 public:
  virtual ~Work() = default;
  // Does what can be done without waiting. Under the agent's lock, like the next two.
  virtual Progress move() = 0;
  // From now on the agent sleeps, or looks again. Whoever else can bring the work on has to wake it in
  // between: where they have to be told so, the work is moved once more after that.
  virtual bool lie_down() { return false; }
  virtual void get_up() {}
  // Whether others wait for what is left to do, or the rank would take long with it. If not, an agent does
  // not wake for what comes.
  virtual bool concerns_others() const { return true; }

  // kPending until it is over. Whoever reads that it is may use the operation again.
  Progress progress() const { return progress_.load(std::memory_order_acquire); }

 private:
  friend class Agent;
  std::atomic<Progress> progress_{Progress::kDone};
  std::size_t place_ = 0;          // in the agent's list
  bool is_urgent_ = false;         // it concerns others
  Work* handed_before_ = nullptr;  // until the agent has taken it in
};

}  // namespace weft::device
