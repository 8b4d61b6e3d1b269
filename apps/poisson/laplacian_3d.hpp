// SPDX-License-Identifier: BSD-3-Clause
// The 7-point Laplacian on this rank's box, without a stored matrix: 6 p minus the six neighbours.
//
// Vectors have no layer of ghosts around them: a row of points (fixed y and z) finds the rows beside it in p,
// in what a neighbour sent, or, where the grid ends, in a row of zeros.
#pragma once

#include "operator.hpp"
#include "process_grid.hpp"

namespace poisson {

class Laplacian3d : public Operator {
 public:
  Laplacian3d(const ProcessGrid& grid, Exchange exchange);

 private:
  /// Points [first, last) of one direction.
  struct Range {
    int first, last;
    bool contains(int i) const { return first <= i && i < last; }
  };
  /// One row of p, the rows beside it, and the values before and behind it.
  struct Row {
    const double *here, *south, *north, *below, *above;
    double before, behind;
  };

  void pack(const Vector& p) override;
  double inner(const Vector& p, Vector& q) const override;
  double boundary(const Vector& p, Vector& q) const override;

  Range without_halo(int direction) const;
  std::size_t row_offset(int y, int z) const { return static_cast<std::size_t>(nx_) * (y + 1LL * ny_ * z); }
  Row row_at(const double* p, int y, int z) const;
  double product_of(const Row& row, double* q, int x) const;
  double product_of(const Row& row, double* q, Range xs) const;

  int nx_, ny_, nz_;
  Range inner_x_, inner_y_, inner_z_;
  Vector zeros_;
};

}  // namespace poisson
