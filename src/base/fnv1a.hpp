// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, "The FNV non-cryptographic hash algorithm"): the same on every
// rank and machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

class Fnv1a {
 public:
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(number >> shift & 0xff);
  }
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    add_byte(0xff);  // ends the text
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }

  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace weft
