// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients (Hestenes and Stiefel, 1952), without a preconditioner: for A with a constant diagonal,
// scaling by it changes nothing.
//
// Three passes over the vectors per iteration: q = A p with p . q; r with r . r; x and p. 80 bytes per point.
#pragma once

#include <functional>

#include "operator.hpp"
#include "options.hpp"

namespace poisson {

/// x = 0, r = p = b at first; made before the clock starts, so that no page fault is timed.
struct Iterates {
  explicit Iterates(const Vector& b) : x(b.size()), r(b), p(b), q(b.size()) {}
  Vector x;  // solution
  Vector r;  // residual b - Ax
  Vector p;  // search direction
  Vector q;  // A p
};

struct Outcome {
  int iterations = 0;
  double residual = 1;  ///< ||r|| / ||b||, r by the recurrence
  bool converged = false;
};

/// Told how far the solve has come, from 0 to 1.
using Progress = std::function<void(double)>;

/// Collective.
Outcome solve(Operator& matrix, const Options& options, MPI_Comm communicator, Iterates& v, Times& times,
              const Progress& progress);

/// Per point and iteration.
int bytes_per_point(const Options& options);
int flops_per_point(const Options& options);

}  // namespace poisson
