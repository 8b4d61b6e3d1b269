// SPDX-License-Identifier: BSD-3-Clause
// YieldCosts: whether giving the core away costs time slices. A core that nobody wants, or that others give
// back as soon as they find nothing to do, returns within microseconds; one that somebody computes on may
// return after a time slice, of milliseconds.
//
// Wherever others compute, a time slice is lost now and then: one in thousands of yields, as long as they are
// in another group of the scheduler, such as another session's. Within one group every third yield loses one
// (measured, Linux 6.18). So yields are dear when more than one in kOneIn loses a time slice, twice in a row.
// They are tried again after kTimesLonger times as long, which costs 2 % of all time.
//
// Any thread may note and ask; notes that meet may get lost.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/types.hpp"

namespace weft {

class YieldCosts {
 public:
  static constexpr Nanoseconds kTimeSlice{500'000};
  static constexpr int kOneIn = 64, kTimesLonger = 50;

  // A yield was over now, and took so long.
  void note(Nanoseconds now, Nanoseconds away) {
    const int before = losses_.load(std::memory_order_relaxed);
    if (away < kTimeSlice) return losses_.store(std::max(before - 1, 0), std::memory_order_relaxed);
    losses_.store(std::min(before + kOneIn, kDear), std::memory_order_relaxed);
    if (are_dear()) again_.store((now + away * kTimesLonger).value, std::memory_order_relaxed);
  }
  bool are_dear() const { return losses_.load(std::memory_order_relaxed) >= kDear; }
  bool are_to_be_tried(Nanoseconds now) const {
    return !are_dear() || now.value >= again_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr int kDear = kOneIn + 1;

  std::atomic<int> losses_{0};  // kOneIn for each time slice lost, less one for each yield that lost none
  std::atomic<std::int64_t> again_{0};
};

}  // namespace weft
