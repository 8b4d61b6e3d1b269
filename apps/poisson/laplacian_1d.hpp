// SPDX-License-Identifier: BSD-3-Clause
// The tridiagonal matrix (-1, 2, -1): the second difference with zero boundaries, one value to either
// neighbour per product.
//
// Source: Gorentla Venkata et al., "Optimizing Blocking and Nonblocking Reduction Operations for Multicore
// Systems: Hierarchical Design and Implementation" (Cluster 2013), section VII: a weak-scaling 1-D Poisson
// problem, second-order differences on a uniform grid, to time reductions by.
#pragma once

#include "operator.hpp"
#include "process_grid.hpp"

namespace poisson {

class Laplacian1d : public Operator {
 public:
  /// The line lies along the first direction of `grid`.
  Laplacian1d(const ProcessGrid& grid, Exchange exchange);

 private:
  void pack(const Vector& p) override;
  double inner(const Vector& p, Vector& q) const override;
  double boundary(const Vector& p, Vector& q) const override;
};

}  // namespace poisson
