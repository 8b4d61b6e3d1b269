// SPDX-License-Identifier: BSD-3-Clause
// The vector updates of conjugate gradients, those that read the same vector fused into one pass.
//
// Behind each the bytes per point that it moves if nothing stays in cache, counted as STREAM does (8 for each
// element read or written; what the hardware reads before it writes is not counted).
#pragma once

#include "timers.hpp"
#include "vector.hpp"

namespace poisson {

/// What `update` returns; its time counts as that of updates.
auto timed_update(Times& times, auto&& update) {
  const Timed timed(times[Part::kUpdates]);
  return update();
}

double dot(const Vector& a, const Vector& b);

/// r = r - alpha q; returns r . r. 24 bytes.
double update_residual(double alpha, const Vector& q, Vector& r);

/// x = x + alpha p, then p = r + beta p. 40 bytes: p is read once for both.
void update_solution_and_direction(double alpha, double beta, const Vector& r, Vector& x, Vector& p);

/// p = r + beta p, s = q + beta s, x = x + alpha p, r = r - alpha s, with the new p and s; returns r . r. 72
/// bytes.
double update_all(double alpha, double beta, const Vector& q, Vector& p, Vector& s, Vector& x, Vector& r);

/// x = x + alpha p. 24 bytes.
void update_solution(double alpha, const Vector& p, Vector& x);

/// p = r + beta p. 24 bytes.
void update_direction(double beta, const Vector& r, Vector& p);

}  // namespace poisson
