// SPDX-License-Identifier: BSD-3-Clause
// Copies between pencils and messages: turned by tiles, so that both sides use whole cache lines, or as they
// are.
//
// A tile has no more rows than a first-level cache has ways: grids whose lengths are powers of two put all
// rows of a tile into the same set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace fft3d {

struct Shape {
  int rows = 0;
  int columns = 0;
};

/// to[column * to_stride + row] = from[row * from_stride + column]; `shape` is that of `from`.
template <typename T>
void copy_turned(Shape shape, const T* from, std::size_t from_stride, T* to, std::size_t to_stride) {
  constexpr int kTile = 8;
  for (int row = 0; row < shape.rows; row += kTile) {
    const int last_row = std::min(row + kTile, shape.rows);
    for (int column = 0; column < shape.columns; column += kTile) {
      const int last_column = std::min(column + kTile, shape.columns);
      for (int c = column; c < last_column; ++c)
        for (int r = row; r < last_row; ++r) to[c * to_stride + r] = from[r * from_stride + c];
    }
  }
}

/// to[row * to_stride + column] = from[row * from_stride + column].
template <typename T>
void copy_rows(Shape shape, const T* from, std::size_t from_stride, T* to, std::size_t to_stride) {
  for (int row = 0; row < shape.rows; ++row)
    std::copy_n(from + row * from_stride, shape.columns, to + row * to_stride);
}

}  // namespace fft3d
