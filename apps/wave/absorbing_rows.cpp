// SPDX-License-Identifier: BSD-3-Clause
#include "absorbing_rows.hpp"

#include "kernels.hpp"
#include "wide.hpp"

namespace wave {
namespace {

/// use(i, psi) after each point's psi has been advanced.
template <typename Real, typename Use>
WAVE_INLINE void advance_each(const PsiRow<Real>& row, const Use& use) {
  Real* __restrict__ psi = row.psi;
  const Real* __restrict__ field = row.field;
  const std::ptrdiff_t step = row.step;
  const int count = row.count;
  if (row.a_along != nullptr) {
    const Real* __restrict__ a = row.a_along;
    const Real* __restrict__ b = row.b_along;
#pragma omp simd
    for (int i = 0; i < count; ++i) {
      psi[i] = b[i] * psi[i] + a[i] * difference(field + i, step);
      use(i, psi[i]);
    }
    return;
  }
  const Real a = row.a, b = row.b;
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    psi[i] = b * psi[i] + a * difference(field + i, step);
    use(i, psi[i]);
  }
}

template <typename Real>
WAVE_INLINE void absorb_each(const PsiRow<Real>& row, Real* __restrict__ out,
                             const Real* __restrict__ factor) {
  advance_each(row, [=](int i, Real psi) WAVE_INLINE_LAMBDA { out[i] += factor[i] * psi; });
}

template <typename Real>
WAVE_INLINE void absorb_normal_each(const PsiRow<Real>& row, const std::array<Real*, 3>& out,
                                    const Real* __restrict__ lambda, const Real* __restrict__ two_mu) {
  Real* __restrict__ own = out[0];
  Real* __restrict__ second = out[1];
  Real* __restrict__ third = out[2];
  advance_each(row, [=](int i, Real psi) WAVE_INLINE_LAMBDA {
    // Two additions, as in the rows at the surface and those with attenuation.
    const Real pressure = lambda[i] * psi;
    own[i] = (own[i] + pressure) + two_mu[i] * psi;
    second[i] += pressure;
    third[i] += pressure;
  });
}

template <typename Real>
WAVE_INLINE void add_each(Real* __restrict__ out, const Real* __restrict__ factor,
                          const Real* __restrict__ psi, int count) {
#pragma omp simd
  for (int i = 0; i < count; ++i) out[i] += factor[i] * psi[i];
}

template <typename Real>
WAVE_INLINE void relax_each(Real* __restrict__ out, Real* __restrict__ memory, const Real* __restrict__ gain,
                            const Real* __restrict__ lost, const Real* __restrict__ psi, int count) {
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    const Real more = gain[i] * (lost[i] * psi[i]);
    memory[i] += more;
    out[i] -= Real(0.5) * more;
  }
}

template <typename Real>
WAVE_INLINE void multiply_each(Real* out, std::ptrdiff_t stride, const Real* by_x, const Real* by_y,
                               Real by_z, int count, int rows) {
  for (int y = 0; y < rows; ++y) {
    Real* __restrict__ row = out + y * stride;
    const Real* __restrict__ along = by_x;
    const Real across = by_y[y] * by_z;
#pragma omp simd
    for (int i = 0; i < count; ++i) row[i] *= along[i] * across;
  }
}

}  // namespace

// One clone for each type: templates have none.
#define WAVE_DEFINE_ROWS(Real)                                                                               \
  WAVE_WIDE void advance(const PsiRow<Real>& row) {                                                          \
    advance_each(row, [](int, Real) WAVE_INLINE_LAMBDA {});                                                  \
  }                                                                                                          \
  WAVE_WIDE void absorb(const PsiRow<Real>& row, Real* out, const Real* factor) {                            \
    absorb_each(row, out, factor);                                                                           \
  }                                                                                                          \
  WAVE_WIDE void absorb_normal(const PsiRow<Real>& row, const std::array<Real*, 3>& out, const Real* lambda, \
                               const Real* two_mu) {                                                         \
    absorb_normal_each(row, out, lambda, two_mu);                                                            \
  }                                                                                                          \
  WAVE_WIDE void add_row(Real* out, const Real* factor, const Real* psi, int count) {                        \
    add_each(out, factor, psi, count);                                                                       \
  }                                                                                                          \
  WAVE_WIDE void relax_row(Real* out, Real* memory, const Real* gain, const Real* lost, const Real* psi,     \
                           int count) {                                                                      \
    relax_each(out, memory, gain, lost, psi, count);                                                         \
  }                                                                                                          \
  WAVE_WIDE void multiply_rows(Real* out, std::ptrdiff_t stride, const Real* by_x, const Real* by_y,         \
                               Real by_z, int count, int rows) {                                             \
    multiply_each(out, stride, by_x, by_y, by_z, count, rows);                                               \
  }
WAVE_DEFINE_ROWS(float)
WAVE_DEFINE_ROWS(double)
#undef WAVE_DEFINE_ROWS

}  // namespace wave
