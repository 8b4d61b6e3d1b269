// SPDX-License-Identifier: BSD-3-Clause
// The consecutive rows of a sparse matrix that one rank owns, in global numbering.
//
// This is what the problem builders (Laplacian, Matrix Market) produce and what the operator is made from.
// Indices have hypre's type, so that its large builds work too.
#pragma once

#include <HYPRE_utilities.h>
#include <vector>

namespace pcg {

struct RowBlock {
  HYPRE_BigInt global_rows = 0;
  HYPRE_BigInt first_row = 0;
  std::vector<HYPRE_Int> row_sizes;   ///< entries per row; its size is the number of rows owned, possibly 0
  std::vector<HYPRE_BigInt> columns;  ///< row after row
  std::vector<double> values;

  HYPRE_Int row_count() const { return static_cast<HYPRE_Int>(row_sizes.size()); }
};

}  // namespace pcg
