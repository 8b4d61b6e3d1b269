// SPDX-License-Identifier: BSD-3-Clause
// What the entries of a matrix alone say about whether conjugate gradients may be used on it.
#pragma once

#include "matrix_market.hpp"

namespace pcg {

/// Throws a BadInput that names an entry and its line if the matrix
///   1. is not symmetric (up to a relative 1e-12, for values that were rounded when they were written), or
///   2. has an element |a_ij| >= sqrt(a_ii a_jj), which no positive definite matrix has.
/// A non-positive diagonal is left to the Operator; what else makes a matrix indefinite shows while solving.
/// Cost: one binary search per entry.
void require_symmetric_and_plausibly_definite(const MatrixFile& file);

}  // namespace pcg
