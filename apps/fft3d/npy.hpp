// SPDX-License-Identifier: BSD-3-Clause
// NPY: an array of doubles as numpy.load reads it.
//
// Format 1.0: "\x93NUMPY", version, length of the header in two bytes, the header as a Python dictionary,
// padded with blanks to a multiple of 64 bytes and ended by a newline, then the numbers in little-endian
// order.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>
#include <vector>

namespace fft3d {

/// `rows` times `columns` values, row by row.
std::string as_npy(int rows, int columns, const std::vector<double>& values);

}  // namespace fft3d
