// SPDX-License-Identifier: BSD-3-Clause
// NPY: arrays as numpy.load reads them.
//
// Format 1.0: "\x93NUMPY", version, length of the header in two bytes, the header as a Python dictionary,
// padded with blanks to a multiple of 64 bytes and ended by a newline, then the numbers in little-endian
// order. Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace app {

template <typename Real>
constexpr const char* npy_type() {
  return sizeof(Real) == 4 ? "<f4" : "<f8";
}

/// All that is before the numbers. `type` as it stands in the dictionary: quoted, or a list of fields.
std::string npy_header(const std::string& type, const std::vector<std::size_t>& shape);

/// A whole file: the numbers are in C's order.
template <typename Real>
std::string as_npy(const std::vector<std::size_t>& shape, std::span<const Real> numbers) {
  const auto bytes = std::as_bytes(numbers);
  return npy_header(std::string("'") + npy_type<Real>() + "'", shape) +
         std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

struct NpyArray {
  std::string type;  ///< "<f4" or the like; the whole list for fields
  std::vector<std::size_t> shape;
  std::size_t header_bytes = 0;
};

/// What the beginning of a file says; nothing where it is no array, or one in Fortran's order.
std::optional<NpyArray> parse_npy_header(std::string_view beginning);

}  // namespace app
