// SPDX-License-Identifier: BSD-3-Clause
// CallRecord: the last calls of one communicator, so that ranks can compare them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::mpi {

// Blocking and non-blocking calls have a record each: within either kind, all ranks make the same calls in
// the same order.
class CallRecord {
 public:
  // The number of the next call, from 1.
  std::uint64_t add(std::uint64_t signature) {
    signatures_[++last_ % kKept] = signature;
    return last_;
  }
  // Nothing if it has not been called yet, or too long ago.
  std::optional<std::uint64_t> signature(std::uint64_t number) const {
    if (number > last_ || number + kKept <= last_) return std::nullopt;
    return signatures_[number % kKept];
  }
  // Some rank is in another call, or failed: whoever still waits for the others' parts fails as well.
  void mark_failed(std::uint64_t number) {
    if (signature(number)) signatures_[number % kKept] = kFailed;
  }
  bool has_failed(std::uint64_t number) const { return signature(number) == kFailed; }

 private:
  static constexpr std::size_t kKept = 16;
  static constexpr std::uint64_t kFailed = UINT64_MAX;
  std::array<std::uint64_t, kKept> signatures_{};
  std::uint64_t last_ = 0;
};

}  // namespace weft::mpi
