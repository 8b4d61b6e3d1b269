// SPDX-License-Identifier: BSD-3-Clause
// Checksum: 64 bits by which plain bytes that went in and plain bytes that come out are compared.
//
// It is none that a format uses itself. Each piece of `piece_bytes` bytes has one (after FNV-1a, eight bytes
// at a time, with the high bits folded down, as otherwise they would influence none below them), so that
// ranks can make them side by side; those of the pieces are put together in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace compress {

class Checksum {
 public:
  void add(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3;
    sum_ ^= sum_ >> 32;
  }
  std::uint64_t sum() const { return sum_; }
  bool operator==(const Checksum&) const = default;

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

inline std::uint64_t checksum_of(std::span<const std::uint8_t> bytes) {
  Checksum checksum;
  const std::size_t length = bytes.size();
  for (std::size_t i = 0; i < length; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, length - i < 8 ? length - i : 8);
    checksum.add(word);
  }
  checksum.add(length);
  return checksum.sum();
}

}  // namespace compress
