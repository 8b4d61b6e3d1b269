// SPDX-License-Identifier: BSD-3-Clause
// The pipelined algorithm (Ghysels and Vanroose 2014, algorithm 4): one reduction per iteration, for which
// the preconditioner and the matrix product need not wait. The indented work hides the MPI_Iallreduce above
// it.
//
// The price: updates of four vectors more, one preconditioner and matrix product too many at the end, and
// rounding. u, w, s, q and z are products in exact arithmetic (algorithms.hpp); carried along by updates they
// drift away from them, until the true residual no longer falls. So now and then they are made afresh from x
// and p, which the paper calls residual replacement, and also where s . p, which nobody computes, seems not
// to be positive: only the matrix itself may be accused of that.
#include "algorithms.hpp"

namespace pcg {

// clang-format off
void pipelined(Steps& step, const Vector& b, PipelinedVectors& v, Stopping& stopping, int replace_every) {
  using enum InnerProduct;
  auto& [x, r, u, w, m, n, p, s, q, z] = v;
  const auto make_residual = [&] {
    step.matvec(x, n);                                                      // r = b - A x
    step.scale(1, b, r);
    step.axpy(-1, n, r);
    step.precondition(r, u);                                                // u = C^-1 r
    step.matvec(u, w);                                                      // w = A u
  };
  const auto start_sums = [&] {
    step.start_together(r, u, w);                                           // r . u, u . w and r . r start
    step.precondition(w, m);                                                //     m = C^-1 w
    step.matvec(m, n);                                                      //     n = A m
  };

  make_residual();
  start_sums();
  const double bi_prod = step.inner_product(kIprod, b, b);
  auto sums = step.wait_together();                                         // they are here
  stopping.begin(bi_prod, sums.i_prod);

  double beta = 0;
  double sdotp = sums.udotw;                                                // s . p without a reduction
  while (stopping.next_iteration()) {
    const bool is_due = replace_every > 0 && stopping.iterations() % replace_every == 0;
    const bool afresh = is_due || !(sdotp > 0);                             // four matrix products more
    step.aypx(beta, u, p);                                                  // p = u + beta p
    if (afresh) {
      step.matvec(p, s);                                                    // s = A p
      step.precondition(s, q);                                              // q = C^-1 s
      step.matvec(q, z);                                                    // z = A q
      sdotp = step.inner_product(kSdotp, s, p);
    } else {
      step.aypx(beta, w, s);                                                // s = w + beta s
      step.aypx(beta, m, q);                                                // q = m + beta q
      step.aypx(beta, n, z);                                                // z = n + beta z
    }
    const double alpha = sums.gamma / stopping.require_positive(sdotp);
    step.axpy(alpha, p, x);                                                 // x = x + alpha p
    if (afresh) {
      make_residual();
    } else {
      step.axpy(-alpha, s, r);                                              // r = r - alpha s
      step.axpy(-alpha, q, u);                                              // u = u - alpha q
      step.axpy(-alpha, z, w);                                              // w = w - alpha z
    }
    start_sums();
    const double gamma_old = sums.gamma;
    sums = step.wait_together();                                            // they are here
    if (stopping.converged(sums.i_prod)) break;
    beta = sums.gamma / gamma_old;
    sdotp = sums.udotw - beta * beta * sdotp;
  }
}
// clang-format on

}  // namespace pcg
