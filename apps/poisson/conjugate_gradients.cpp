// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate_gradients.hpp"

#include "reduction.hpp"
#include "vector_updates.hpp"

namespace poisson {
namespace {

/// Hestenes and Stiefel's, r . r blocking or overlapped.
Outcome solve_with_two_reductions(Operator& matrix, const Options& options, double b_squared,
                                  MPI_Comm communicator, Iterates& v, Times& times,
                                  const Progress& progress) {
  Reduction reduction(communicator, times);
  double r_squared = reduction.sum(dot(v.r, v.r));
  Stopping stopping(options, b_squared, r_squared, progress);
  while (stopping.has_to_go_on()) {
    const double pq = reduction.sum(matrix.apply(v.p, v.q, times));
    const double alpha = quotient(r_squared, pq);
    const double part = timed_update(times, [&] { return update_residual(alpha, v.q, v.r); });
    double r_squared_now = 0;
    if (options.products == Products::kOverlapped) {
      reduction.start(part);
      timed_update(times, [&] { update_solution(alpha, v.p, v.x); });
      r_squared_now = reduction.wait()[0];
      timed_update(times, [&] { update_direction(quotient(r_squared_now, r_squared), v.r, v.p); });
    } else {
      r_squared_now = reduction.sum(part);
      const double beta = quotient(r_squared_now, r_squared);
      timed_update(times, [&] { update_solution_and_direction(alpha, beta, v.r, v.x, v.p); });
    }
    r_squared = r_squared_now;
    stopping.iteration_is_done(r_squared);
  }
  return stopping.outcome();
}

/// Chronopoulos and Gear's. At the head of the loop: q = A r, and alpha and beta of the iteration.
Outcome solve_with_one_reduction(Operator& matrix, const Options& options, double b_squared,
                                 MPI_Comm communicator, Iterates& v, Times& times, const Progress& progress) {
  Reduction reduction(communicator, times);
  const double part_at_first = dot(v.r, v.r);
  reduction.start(part_at_first, matrix.apply(v.r, v.q, times));
  auto [r_squared, rq] = reduction.wait();
  Stopping stopping(options, b_squared, r_squared, progress);
  double alpha = quotient(r_squared, rq);
  double beta = 0;
  while (stopping.has_to_go_on()) {
    const double part = timed_update(times, [&] { return update_all(alpha, beta, v.q, v.p, v.s, v.x, v.r); });
    reduction.start(part, matrix.apply(v.r, v.q, times));
    const auto [r_squared_now, rq_now] = reduction.wait();
    beta = quotient(r_squared_now, r_squared);
    alpha = quotient(r_squared_now, rq_now - quotient(beta * r_squared_now, alpha));
    r_squared = r_squared_now;
    stopping.iteration_is_done(r_squared);
  }
  return stopping.outcome();
}

}  // namespace

void Iterates::start_from(const Vector& start, Operator& matrix) {
  Times untimed;
  x = start;
  matrix.apply(x, q, untimed);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= q[i];
  p = r;
}

Outcome solve(Operator& matrix, const Options& options, double b_squared, MPI_Comm communicator, Iterates& v,
              Times& times, const Progress& progress) {
  const Timed timed(times[Part::kWhole]);
  const auto form =
      options.products == Products::kCombined ? solve_with_one_reduction : solve_with_two_reductions;
  return form(matrix, options, b_squared, communicator, v, times, progress);
}

int bytes_per_point(const Options& options) {
  constexpr int kProduct = 16;  // one vector read, one written
  switch (options.products) {
    case Products::kBlocking: return kProduct + 24 + 40;
    case Products::kOverlapped: return kProduct + 24 + 24 + 24;
    case Products::kCombined: return kProduct + 72;
  }
  return 0;
}

int flops_per_point(const Options& options) {
  const int product = options.one_dimensional ? 3 : 7;
  const int updates = options.products == Products::kCombined ? 4 : 3;
  return product + 2 * (2 + updates);  // each of two inner products and of the updates: a product and a sum
}

}  // namespace poisson
