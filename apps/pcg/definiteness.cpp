// SPDX-License-Identifier: BSD-3-Clause
#include "definiteness.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "verdict.hpp"

namespace pcg {
namespace {

constexpr double kRounding = 1e-12;

double value_at(const MatrixFile& file, std::int64_t row, std::int64_t column) {
  const auto position =
      std::lower_bound(file.entries.begin(), file.entries.end(), std::make_pair(row, column),
                       [](const MatrixEntry& entry, const auto& wanted) {
                         return std::make_pair(entry.row, entry.column) < wanted;
                       });
  const bool found = position != file.entries.end() && position->row == row && position->column == column;
  return found ? position->value : 0.0;
}

void require_symmetric(const MatrixFile& file, const MatrixEntry& entry) {
  const double partner = value_at(file, entry.column, entry.row);
  const double larger = std::max(std::abs(entry.value), std::abs(partner));
  if (std::abs(entry.value - partner) <= kRounding * larger) return;
  throw app::BadInput(
      fmt::format("{}:{}: the matrix is not symmetric: entry ({}, {}) is {}, but entry ({}, {}) is {}; "
                  "conjugate gradients "
                  "need a symmetric matrix",
                  file.path, entry.line, entry.row + 1, entry.column + 1, entry.value, entry.column + 1,
                  entry.row + 1, partner));
}

void require_small(const MatrixFile& file, const MatrixEntry& entry, const std::vector<double>& diagonal) {
  const double row_diagonal = diagonal[entry.row];
  const double column_diagonal = diagonal[entry.column];
  const bool positive = row_diagonal > 0 && column_diagonal > 0;
  if (!positive || std::abs(entry.value) < std::sqrt(row_diagonal) * std::sqrt(column_diagonal)) return;
  throw app::BadInput(
      fmt::format("{}:{}: the matrix is not positive definite: entry ({}, {}) is {}, too large for the "
                  "diagonal elements {} of "
                  "row {} and {} of row {}; conjugate gradients need a positive definite matrix",
                  file.path, entry.line, entry.row + 1, entry.column + 1, entry.value, row_diagonal,
                  entry.row + 1, column_diagonal, entry.column + 1));
}

}  // namespace

void require_symmetric_and_plausibly_definite(const MatrixFile& file) {
  std::vector<double> diagonal(file.rows, 0.0);
  for (const MatrixEntry& entry : file.entries)
    if (entry.row == entry.column) diagonal[entry.row] = entry.value;
  for (const MatrixEntry& entry : file.entries) {
    if (entry.row == entry.column) continue;
    require_symmetric(file, entry);
    if (entry.row > entry.column) require_small(file, entry, diagonal);
  }
}

}  // namespace pcg
