// SPDX-License-Identifier: BSD-3-Clause
// Timers: how long calls take, and making things.
#pragma once

#include "base/clock.hpp"
#include "observe/counters.hpp"

namespace weft {

// Set where somebody asks how long calls and making things take: two or three readings of the clock for each.
inline bool calls_are_timed = false;

// Times one call. Only one that reaches end() counts.
class CallTimer {
 public:
  explicit CallTimer(CallCounter& counter) : counter_(calls_are_timed ? &counter : nullptr) {
    if (counter_ != nullptr) [[unlikely]]
      began_ = waits_since_ = elapsed_time();
  }
  void begin_to_wait() {
    if (counter_ != nullptr) [[unlikely]]
      waits_since_ = elapsed_time();
  }
  void end(bool has_waited) {
    if (counter_ != nullptr) [[unlikely]]
      count(has_waited);
  }

 private:
  [[gnu::cold]] void count(bool has_waited) {
    const Nanoseconds now = elapsed_time();
    counter_->nanoseconds.fetch_add(static_cast<std::uint64_t>((now - began_).value),
                                    std::memory_order_relaxed);
    if (has_waited)
      counter_->waited.fetch_add(static_cast<std::uint64_t>((now - waits_since_).value),
                                 std::memory_order_relaxed);
  }

  CallCounter* counter_;
  Nanoseconds began_, waits_since_;
};

// Lives while one thing is made, or while a part of it is that does not count as one.
class Making {
 public:
  enum class Counts : std::uint8_t { kNothing, kOne };
  explicit Making(MakingCounter& counter, Counts counts = Counts::kOne)
      : counter_(counter), counts_(counts), began_(calls_are_timed ? elapsed_time() : Nanoseconds(0)) {}
  ~Making() {
    counter_.number.fetch_add(static_cast<std::uint64_t>(counts_), std::memory_order_relaxed);
    if (!calls_are_timed) return;
    const Nanoseconds took = elapsed_time() - began_;
    counter_.nanoseconds.fetch_add(static_cast<std::uint64_t>(took.value), std::memory_order_relaxed);
  }
  Making(const Making&) = delete;

 private:
  MakingCounter& counter_;
  Counts counts_;
  Nanoseconds began_;
};

}  // namespace weft
