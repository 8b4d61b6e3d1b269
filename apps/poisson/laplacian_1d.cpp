// SPDX-License-Identifier: BSD-3-Clause
#include "laplacian_1d.hpp"

namespace poisson {
namespace {

enum End { kLeft, kRight };

}  // namespace

Laplacian1d::Laplacian1d(const ProcessGrid& grid, Exchange exchange)
    : Operator(Halo({1, 0, 0}, exchange, grid.communicator())) {}

void Laplacian1d::pack(const Vector& p) {
  if (halo_.has_neighbour(kLeft)) *halo_.out(kLeft) = p.front();
  if (halo_.has_neighbour(kRight)) *halo_.out(kRight) = p.back();
}

double Laplacian1d::inner(const Vector& p, Vector& q) const {
  const double* __restrict__ ps = p.data();
  double* __restrict__ qs = q.data();
  const int last = static_cast<int>(p.size()) - 1;
  double product = 0;
#pragma omp simd reduction(+ : product)
  for (int i = 1; i < last; ++i) {
    qs[i] = 2 * ps[i] - (ps[i - 1] + ps[i + 1]);
    product += ps[i] * qs[i];
  }
  return product;
}

/// The first and the last point, which may be one.
double Laplacian1d::boundary(const Vector& p, Vector& q) const {
  const double left = halo_.has_neighbour(kLeft) ? *halo_.in(kLeft) : 0;
  const double right = halo_.has_neighbour(kRight) ? *halo_.in(kRight) : 0;
  const std::size_t last = p.size() - 1;
  q[0] = 2 * p[0] - (left + (last > 0 ? p[1] : right));
  double product = p[0] * q[0];
  if (last > 0) {
    q[last] = 2 * p[last] - (p[last - 1] + right);
    product += p[last] * q[last];
  }
  return product;
}

}  // namespace poisson
