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

inline constexpr int kTile = 8;

/// One whole tile: bounds that the compiler knows, so that it unrolls and uses vectors.
template <typename T>
inline void copy_tile_turned(const T* __restrict from, std::size_t from_stride, T* __restrict to,
                             std::size_t to_stride) {
  for (int column = 0; column < kTile; ++column)
    for (int row = 0; row < kTile; ++row) to[column * to_stride + row] = from[row * from_stride + column];
}

/// to[column * to_stride + row] = from[row * from_stride + column]; `shape` is that of `from`.
template <typename T>
void copy_turned(Shape shape, const T* from, std::size_t from_stride, T* to, std::size_t to_stride) {
  for (int row = 0; row < shape.rows; row += kTile) {
    const int rows = std::min(kTile, shape.rows - row);
    for (int column = 0; column < shape.columns; column += kTile) {
      const int columns = std::min(kTile, shape.columns - column);
      const T* const tile = from + row * from_stride + column;
      T* const turned = to + column * to_stride + row;
      if (rows == kTile && columns == kTile) {
        copy_tile_turned(tile, from_stride, turned, to_stride);
        continue;
      }
      for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) turned[c * to_stride + r] = tile[r * from_stride + c];
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
