// SPDX-License-Identifier: BSD-3-Clause
// BitString: bytes of which only so many bits count, the highest bit of a byte first, as bzip2 counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace compress {

class BitString {
 public:
  /// The first `bits` bits of `bytes`.
  void append(std::span<const std::uint8_t> bytes, std::uint64_t bits);
  /// The lowest `bits` bits of `value`, the highest of them first.
  void append_number(std::uint64_t value, int bits);

  std::uint64_t bits() const { return bits_; }
  /// The last byte is filled up with zeros.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  /// All whole bytes go; the bits of a last byte that is not full stay.
  void drop_whole_bytes();
  void clear();

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint64_t bits_ = 0;
};

/// `count` bits (64 at most) of `bytes` from bit `first` on.
std::uint64_t bits_at(std::span<const std::uint8_t> bytes, std::uint64_t first, int count);

}  // namespace compress
