// SPDX-License-Identifier: BSD-3-Clause
#include "npy.hpp"

#include <bit>
#include <fmt/format.h>

namespace fft3d {

std::string as_npy(int rows, int columns, const std::vector<double>& values) {
  static_assert(std::endian::native == std::endian::little, "the numbers go out as they are in memory");
  constexpr std::size_t kPrelude = 10;
  constexpr std::size_t kMultiple = 64;
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  header.append(kMultiple - (kPrelude + header.size() + 1) % kMultiple, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

}  // namespace fft3d
