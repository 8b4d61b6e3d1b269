// SPDX-License-Identifier: BSD-3-Clause
// What happens in one row of an absorbing layer; absorbing.hpp has the formulas.
#pragma once

#include <array>
#include <cstddef>

namespace wave {

/// psi of a row, and the derivative that it follows.
template <typename Real>
struct PsiRow {
  Real* psi;
  const Real *a_along, *b_along;  // by point, in a layer across x; null: the same for all
  Real a, b;
  const Real* field;  // whose derivative it is
  std::ptrdiff_t step;
  int count;
};

#define WAVE_DECLARE_ROWS(Real)                                                                            \
  /* psi alone. */                                                                                         \
  void advance(const PsiRow<Real>& row);                                                                   \
  /* psi, and factor psi to `out`. */                                                                      \
  void absorb(const PsiRow<Real>& row, Real* out, const Real* factor);                                     \
  /* psi, and lambda psi to all three stresses, two_mu psi to the first. */                                \
  void absorb_normal(const PsiRow<Real>& row, const std::array<Real*, 3>& out, const Real* lambda,         \
                     const Real* two_mu);                                                                  \
  /* factor psi to `out`. */                                                                               \
  void add_row(Real* out, const Real* factor, const Real* psi, int count);                                 \
  /* What attenuation makes of lost psi. */                                                                \
  void relax_row(Real* out, Real* memory, const Real* gain, const Real* lost, const Real* psi, int count); \
  /* Each of some rows by a factor for x, one for y and one for z. */                                      \
  void multiply_rows(Real* out, std::ptrdiff_t stride, const Real* by_x, const Real* by_y, Real by_z,      \
                     int count, int rows);
WAVE_DECLARE_ROWS(float)
WAVE_DECLARE_ROWS(double)
#undef WAVE_DECLARE_ROWS

}  // namespace wave
