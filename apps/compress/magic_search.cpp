// SPDX-License-Identifier: BSD-3-Clause
#include "magic_search.hpp"

#include <array>

#include "bit_string.hpp"
#include "format.hpp"

namespace compress {
namespace {

constexpr std::uint64_t kBytesOfMagic = kMagicBits / 8;

/// For each value of a byte, as bits, the shifts at which the magic has it as its byte `number`, 1 to 5: with
/// `shift` bits before the magic in byte 0, these are bits of the magic alone.
constexpr std::array<std::uint8_t, 256> shifts_with_byte(int number) {
  std::array<std::uint8_t, 256> shifts{};
  for (int shift = 0; shift < 8; ++shift) {
    const std::uint64_t value = kBlockMagic >> (kMagicBits - 8 - 8 * number + shift) & 0xff;
    shifts[value] = static_cast<std::uint8_t>(shifts[value] | 1 << shift);
  }
  return shifts;
}

constexpr std::array kByte1 = shifts_with_byte(1);
constexpr std::array kByte2 = shifts_with_byte(2);

}  // namespace

std::optional<std::uint64_t> find_block_magic(std::span<const std::uint8_t> bytes, std::uint64_t first) {
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
  for (std::uint64_t byte = first / 8; byte + kBytesOfMagic <= bytes.size(); ++byte) {
    const unsigned shifts = kByte1[bytes[byte + 1]] & kByte2[bytes[byte + 2]];
    if (shifts == 0) continue;
    for (std::uint64_t shift = 0; shift < 8; ++shift) {
      const std::uint64_t bit = 8 * byte + shift;
      if ((shifts >> shift & 1) == 0 || bit < first || bit + kMagicBits > bits) continue;
      if (bits_at(bytes, bit, kMagicBits) == kBlockMagic) return bit;
    }
  }
  return std::nullopt;
}

}  // namespace compress
