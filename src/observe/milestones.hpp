// SPDX-License-Identifier: BSD-3-Clause
// Milestones of an operation: its start, its first received data, its end. So the time that it takes comes
// apart into waiting for others and the rest (NBCBench, section 4.1).
//
// By default nobody measures: `operation_times` is null. It belongs to whoever holds the engine's lock.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace weft {

// Sums over the operations that began since.
struct OperationTimes {
  Nanoseconds (*clock)();
  Nanoseconds since;
  std::uint64_t count = 0;       // ended ones
  Nanoseconds until_first_data;  // from the start; nothing where an operation receives nothing
  Nanoseconds after_first_data;  // from the first data to the end
};

inline OperationTimes* operation_times = nullptr;

class Milestones {
 public:
  static bool are_wanted() { return operation_times != nullptr; }

  void start() {
    if (are_wanted()) [[unlikely]]
      first_data_ = began_ = operation_times->clock();
  }
  void data() {
    if (are_wanted() && first_data_ == began_) [[unlikely]]
      first_data_ = operation_times->clock();
  }
  void end() {
    if (are_wanted() && began_ >= operation_times->since) [[unlikely]] {
      ++operation_times->count;
      operation_times->until_first_data += first_data_ - began_;
      operation_times->after_first_data += operation_times->clock() - first_data_;
    }
  }

 private:
  Nanoseconds began_, first_data_;
};

}  // namespace weft
