// SPDX-License-Identifier: BSD-3-Clause
#include "bit_string.hpp"

#include <array>

namespace compress {

void BitString::append(std::span<const std::uint8_t> bytes, std::uint64_t bits) {
  if (bits == 0) return;
  const std::size_t count = (bits + 7) / 8;
  const int shift = static_cast<int>(bits_ % 8);
  const std::size_t begin = bytes_.size();
  const std::uint8_t* from = bytes.data();
  if (shift == 0) {
    bytes_.insert(bytes_.end(), from, from + count);
  } else {
    bytes_.resize(begin + count);
    std::uint8_t* to = bytes_.data() + begin;
    to[-1] = static_cast<std::uint8_t>(to[-1] | from[0] >> shift);
    for (std::size_t i = 0; i + 1 < count; ++i)
      to[i] = static_cast<std::uint8_t>(from[i] << (8 - shift) | from[i + 1] >> shift);
    to[count - 1] = static_cast<std::uint8_t>(from[count - 1] << (8 - shift));
  }
  bits_ += bits;
  bytes_.resize((bits_ + 7) / 8);
  if (bits_ % 8 != 0)  // what the last byte of `bytes` had behind its end
    bytes_.back() = static_cast<std::uint8_t>(bytes_.back() & 0xff << (8 - bits_ % 8));
}

void BitString::append_number(std::uint64_t value, int bits) {
  std::array<std::uint8_t, 8> bytes{};
  value <<= 64 - bits;
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value >> 56);
    value <<= 8;
  }
  append(bytes, static_cast<std::uint64_t>(bits));
}

void BitString::drop_whole_bytes() {
  bits_ %= 8;
  if (bits_ == 0) {
    bytes_.clear();
  } else {
    bytes_.front() = bytes_.back();
    bytes_.resize(1);
  }
}

void BitString::clear() {
  bytes_.clear();
  bits_ = 0;
}

std::uint64_t bits_at(std::span<const std::uint8_t> bytes, std::uint64_t first, int count) {
  std::uint64_t value = 0;
  for (std::uint64_t bit = first; bit < first + static_cast<std::uint64_t>(count); ++bit)
    value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1U);
  return value;
}

}  // namespace compress
