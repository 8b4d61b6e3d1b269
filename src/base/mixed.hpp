// SPDX-License-Identifier: BSD-3-Clause
// One step of a hash over several numbers: multiplicative hashing (D. E. Knuth, The Art of Computer
// Programming, vol. 3, section 6.4), with a shift that brings the high bits down for the next step, or for a
// table.
#pragma once

#include <cstdint>

namespace weft {

constexpr std::uint64_t mixed(std::uint64_t value, std::uint64_t more) {
  value = (value ^ more) * 0x9E3779B97F4A7C15u;
  return value ^ value >> 29;
}

}  // namespace weft
