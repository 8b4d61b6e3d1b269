// SPDX-License-Identifier: BSD-3-Clause
// The variant after Demmel (figure 6): C = L L is applied in two halves, and x is updated one iteration late.
// The same numbers as the basic algorithm, but now there is work that does not depend on the inner products.
#include <utility>

#include "algorithms.hpp"

namespace pcg {

// clang-format off
void algorithm2(Steps& step, const Vector& b, Vectors& v, Stopping& stopping) {
  using enum InnerProduct;
  auto& [x, r, p, p_prev, s, t, w] = v;

  step.matvec(x, s);                                                        // r = b - A x
  step.scale(1, b, r);
  step.axpy(-1, s, r);
  step.precondition_half(r, t);                                             // t = L^-1 r
  double gamma = step.inner_product(kGamma, t, t);                          // gamma = t . t
  stopping.begin(step.inner_product(kIprod, b, b), step.inner_product(kIprod, r, r));

  double alpha = 0;
  double beta = 0;
  while (stopping.next_iteration()) {
    step.precondition_half(t, w);                                           // w = L^-1 t
    step.scale(beta, p_prev, p);                                            // p = w + beta p_prev
    step.axpy(1, w, p);
    step.matvec(p, s);                                                      // s = A p
    const double sdotp = step.inner_product(kSdotp, s, p);                  // sdotp = s . p
    step.axpy(alpha, p_prev, x);                                            // x = x + alpha p_prev
    alpha = gamma / stopping.require_positive(sdotp);
    step.axpy(-alpha, s, r);                                                // r = r - alpha s
    const double i_prod = step.inner_product(kIprod, r, r);                 // i_prod = r . r
    step.precondition_half(r, t);                                           // t = L^-1 r
    const double gamma_old = gamma;
    gamma = step.inner_product(kGamma, t, t);                               // gamma = t . t
    beta = gamma / gamma_old;
    std::swap(p_prev, p);
    if (stopping.converged(i_prod)) break;
  }
  step.axpy(alpha, p_prev, x);                                              // the update still owed
}
// clang-format on

}  // namespace pcg
