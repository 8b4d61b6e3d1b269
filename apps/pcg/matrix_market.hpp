// SPDX-License-Identifier: BSD-3-Clause
// Reads a square matrix from a Matrix Market file.
//
// Taken: coordinate form, real or integer, symmetric (lower triangle stored) or general. Everything malformed
// is a BadInput that names file and line. Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange
// Formats", NISTIR 5935 (1996).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcg {

struct MatrixEntry {
  std::int64_t row;     ///< from 0
  std::int64_t column;  ///< from 0
  double value;
  std::int64_t line;  ///< of the file, from 1
};

struct MatrixFile {
  std::string path;
  std::int64_t rows = 0;
  std::vector<MatrixEntry> entries;  ///< both triangles, sorted by row and column, none twice
};

MatrixFile read_matrix_market(const std::string& path);

}  // namespace pcg
