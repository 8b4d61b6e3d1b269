// SPDX-License-Identifier: BSD-3-Clause
// Gropp's asynchronous algorithm: two reductions per iteration, p . s behind the preconditioner and r . z
// (with r . r beside it, for the test) behind the matrix product. The indented work hides the MPI_Iallreduce
// above it.
//
// z = C^-1 r and s = A p are carried along by updates, so that neither waits for a reduction; one matrix
// product is too many at the end. Only two vectors can drift, each by one step from r or p: unlike pipelined
// it needs nothing made afresh.
#include "algorithms.hpp"

namespace pcg {

// clang-format off
void gropp(Steps& step, const Vector& b, GroppVectors& v, Stopping& stopping) {
  using enum InnerProduct;
  auto& [x, r, z, p, s, q, w] = v;

  step.matvec(x, s);                                                        // r = b - A x
  step.scale(1, b, r);
  step.axpy(-1, s, r);
  step.precondition(r, z);                                                  // z = C^-1 r
  step.start_together(r, z);                                                // r . z and r . r start
  step.scale(1, z, p);                                                      //     p = z
  step.matvec(p, s);                                                        //     s = A p
  const double bi_prod = step.inner_product(kIprod, b, b);
  auto sums = step.wait_together();                                         // they are here
  stopping.begin(bi_prod, sums.i_prod);

  while (stopping.next_iteration()) {
    step.start_inner_product(kSdotp, s, p);                                 // sdotp = s . p starts
    step.precondition(s, q);                                                //     q = C^-1 s
    const double sdotp = step.wait_inner_product(kSdotp);                   // sdotp is here
    const double alpha = sums.gamma / stopping.require_positive(sdotp);
    step.axpy(alpha, p, x);                                                 // x = x + alpha p
    step.axpy(-alpha, s, r);                                                // r = r - alpha s
    step.axpy(-alpha, q, z);                                                // z = z - alpha q
    step.start_together(r, z);                                              // r . z and r . r start
    step.matvec(z, w);                                                      //     w = A z
    const double gamma_old = sums.gamma;
    sums = step.wait_together();                                            // they are here
    if (stopping.converged(sums.i_prod)) break;
    const double beta = sums.gamma / gamma_old;
    step.aypx(beta, z, p);                                                  // p = z + beta p
    step.aypx(beta, w, s);                                                  // s = w + beta s
  }
}
// clang-format on

}  // namespace pcg
