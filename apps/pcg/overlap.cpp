// SPDX-License-Identifier: BSD-3-Clause
// The overlapping algorithm (figure 7): the variant, with every inner product started as soon as its vectors
// are known and finished when its value is needed. The indented work hides the MPI_Iallreduce above it.
#include <limits>
#include <utility>

#include "algorithms.hpp"

namespace pcg {

// clang-format off
void overlap(Steps& step, const Vector& b, Vectors& v, Stopping& stopping) {
  using enum InnerProduct;
  auto& [x, r, p, p_prev, s, t, w] = v;

  step.matvec(x, s);                                                        // r = b - A x
  step.scale(1, b, r);
  step.axpy(-1, s, r);
  stopping.begin(step.inner_product(kIprod, b, b), step.inner_product(kIprod, r, r));
  step.precondition_half(r, t);                                             // t = L^-1 r
  step.start_inner_product(kGamma, t, t);                                   // gamma = t . t starts

  double alpha = 0;
  double gamma_old = std::numeric_limits<double>::infinity();               // makes the first beta 0
  while (stopping.next_iteration()) {
    step.precondition_half(t, w);                                           //     w = L^-1 t
    const double gamma = step.wait_inner_product(kGamma);                   // gamma is here
    const double beta = gamma / gamma_old;
    step.scale(beta, p_prev, p);                                            // p = w + beta p_prev
    step.axpy(1, w, p);
    step.matvec(p, s);                                                      // s = A p
    step.start_inner_product(kSdotp, s, p);                                 // sdotp = s . p starts
    step.axpy(alpha, p_prev, x);                                            //     x = x + alpha p_prev
    const double sdotp = step.wait_inner_product(kSdotp);                   // sdotp is here
    alpha = gamma / stopping.require_positive(sdotp);
    step.axpy(-alpha, s, r);                                                // r = r - alpha s
    step.start_inner_product(kIprod, r, r);                                 // i_prod = r . r starts
    step.precondition_half(r, t);                                           //     t = L^-1 r
    const double i_prod = step.wait_inner_product(kIprod);                  // i_prod is here
    gamma_old = gamma;
    step.start_inner_product(kGamma, t, t);                                 // gamma = t . t starts
    std::swap(p_prev, p);
    if (stopping.converged(i_prod)) break;
  }
  step.wait_inner_product(kGamma);                                          // started, not needed any more
  step.axpy(alpha, p_prev, x);                                              // the update still owed
}
// clang-format on

}  // namespace pcg
