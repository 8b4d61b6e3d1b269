// SPDX-License-Identifier: BSD-3-Clause
// Clocks, in nanoseconds. Time that passes is cheap to read (some 20 ns, without a system call where the
// kernel allows it); time that this thread was on a core needs a system call.
#pragma once

#include <ctime>

#include "base/types.hpp"

namespace weft {

inline Nanoseconds read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return Nanoseconds(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
}

inline Nanoseconds elapsed_time() { return read_clock(CLOCK_MONOTONIC); }
inline Nanoseconds thread_cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace weft
