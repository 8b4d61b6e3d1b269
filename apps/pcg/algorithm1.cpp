// SPDX-License-Identifier: BSD-3-Clause
// The basic algorithm (figure 3): every inner product is needed at once.
#include "algorithms.hpp"

namespace pcg {

// clang-format off
void algorithm1(Steps& step, const Vector& b, Vectors& v, Stopping& stopping) {
  using enum InnerProduct;
  auto& [x, r, p, p_prev, s, t, w] = v;

  step.matvec(x, s);                                                        // r = b - A x
  step.scale(1, b, r);
  step.axpy(-1, s, r);
  step.precondition(r, p);                                                  // p = C^-1 r
  double gamma = step.inner_product(kGamma, r, p);                          // gamma = r . p
  stopping.begin(step.inner_product(kIprod, b, b), step.inner_product(kIprod, r, r));

  while (stopping.next_iteration()) {
    step.matvec(p, s);                                                      // s = A p
    const double sdotp = step.inner_product(kSdotp, s, p);                  // sdotp = s . p
    const double alpha = gamma / stopping.require_positive(sdotp);
    const double gamma_old = gamma;
    step.axpy(alpha, p, x);                                                 // x = x + alpha p
    step.axpy(-alpha, s, r);                                                // r = r - alpha s
    step.precondition(r, s);                                                // s = C^-1 r
    gamma = step.inner_product(kGamma, r, s);                               // gamma = r . s
    const double i_prod = step.inner_product(kIprod, r, r);                 // i_prod = r . r
    if (stopping.converged(i_prod)) break;
    const double beta = gamma / gamma_old;
    step.scale(beta, p, p);                                                 // p = s + beta p
    step.axpy(1, s, p);
  }
}
// clang-format on

}  // namespace pcg
