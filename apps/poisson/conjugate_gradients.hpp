// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients without a preconditioner (for A with a constant diagonal, scaling changes nothing), in
// three forms that wait for their inner products in different ways:
//
//   blocking    Hestenes and Stiefel (1952): two MPI_Allreduce per iteration. Three passes over the vectors:
//               q = A p with p . q; r with r . r; x and p. 80 bytes per point.
//   overlapped  the same, r . r by MPI_Iallreduce behind the update of x, which no longer shares a pass with
//               that of p: 88 bytes per point, and the same bits. Behind p . q there is nothing to do.
//   combined    Chronopoulos and Gear, "s-step iterative methods for symmetric linear systems" (J. Comput.
//               Appl. Math. 25, 1989), with s = 1: one MPI_Iallreduce of both products per iteration, with
//               nothing behind it. q = A r, and A p follows by an update: 88 bytes, other rounding, and a
//               matrix product too many at the end.
#pragma once

#include "operator.hpp"
#include "options.hpp"
#include "stopping.hpp"

namespace poisson {

/// Made before the clock starts, so that no page fault is timed.
struct Iterates {
  /// From x = 0, so that r = b.
  Iterates(const Vector& b, Products products)
      : x(b.size()), r(b), p(b), q(b.size()), s(products == Products::kCombined ? b.size() : 0) {}

  /// From another x: r = p = b - A x. Collective.
  void start_from(const Vector& start, Operator& matrix);

  Vector x;  // solution
  Vector r;  // residual b - Ax
  Vector p;  // search direction
  Vector q;  // A p; A r in the combined form
  Vector s;  // A p in the combined form; empty in the others
};

/// How many vectors a rank has: b, the exact solution, the iterates, and where it restarts from.
inline int vector_count(const Options& options) {
  return 6 + (options.products == Products::kCombined ? 1 : 0) + (options.restart_file.empty() ? 0 : 1);
}

/// Collective.
Outcome solve(Operator& matrix, const Options& options, double b_squared, MPI_Comm communicator, Iterates& v,
              Times& times, const Progress& progress);

/// Per point and iteration: what moves if every vector is read and written once in each pass, counted as
/// STREAM does (8 bytes for an element read or written), and nothing stays in cache from pass to pass.
int bytes_per_point(const Options& options);
int flops_per_point(const Options& options);

}  // namespace poisson
