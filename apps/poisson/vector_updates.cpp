// SPDX-License-Identifier: BSD-3-Clause
#include "vector_updates.hpp"

#include <cstddef>

// Plain pointers to vectors that do not overlap: the compiler need not look whether they do.
namespace poisson {

double dot(const Vector& a, const Vector& b) {
  const double* __restrict__ as = a.data();
  const double* __restrict__ bs = b.data();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += as[i] * bs[i];
  return sum;
}

double update_residual(double alpha, const Vector& q, Vector& r) {
  const double* __restrict__ qs = q.data();
  double* __restrict__ rs = r.data();
  const std::size_t count = r.size();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) {
    rs[i] -= alpha * qs[i];
    sum += rs[i] * rs[i];
  }
  return sum;
}

void update_solution_and_direction(double alpha, double beta, const Vector& r, Vector& x, Vector& p) {
  const double* __restrict__ rs = r.data();
  double* __restrict__ xs = x.data();
  double* __restrict__ ps = p.data();
  const std::size_t count = r.size();
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    xs[i] += alpha * ps[i];
    ps[i] = rs[i] + beta * ps[i];
  }
}

double update_all(double alpha, double beta, const Vector& q, Vector& p, Vector& s, Vector& x, Vector& r) {
  const double* __restrict__ qs = q.data();
  double* __restrict__ ps = p.data();
  double* __restrict__ ss = s.data();
  double* __restrict__ xs = x.data();
  double* __restrict__ rs = r.data();
  const std::size_t count = r.size();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) {
    ps[i] = rs[i] + beta * ps[i];
    ss[i] = qs[i] + beta * ss[i];
    xs[i] += alpha * ps[i];
    rs[i] -= alpha * ss[i];
    sum += rs[i] * rs[i];
  }
  return sum;
}

void update_solution(double alpha, const Vector& p, Vector& x) {
  const double* __restrict__ ps = p.data();
  double* __restrict__ xs = x.data();
  const std::size_t count = x.size();
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) xs[i] += alpha * ps[i];
}

void update_direction(double beta, const Vector& r, Vector& p) {
  const double* __restrict__ rs = r.data();
  double* __restrict__ ps = p.data();
  const std::size_t count = p.size();
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) ps[i] = rs[i] + beta * ps[i];
}

}  // namespace poisson
