// SPDX-License-Identifier: BSD-3-Clause
// The solvers, side by side: one file each.
//
// algorithm1, algorithm2 and overlap are figures 3, 6 and 7 of Kandalla et al., "Designing Non-blocking
// Allreduce with Collective Offload on InfiniBand Clusters: A Case Study with Conjugate Gradient Solvers"
// (IPDPS 2012), with what the printed algorithms leave out: the last update of x, the first beta (0) and the
// start of the first gamma. pipelined is algorithm 4 of Ghysels and Vanroose, "Hiding global synchronization
// latency in the preconditioned Conjugate Gradient algorithm" (Parallel Computing 40, 2014). gropp is by W.
// D. Gropp, "Update on libraries for Blue Waters" (2010), as PETSc's KSPGROPPCG has it. sstep is that of
// Chronopoulos and Gear (sstep_block.hpp). All solve A x = b from the x that they find in `v`, in place.
#pragma once

#include "hypre_vector.hpp"
#include "preconditioner.hpp"
#include "steps.hpp"
#include "stopping.hpp"

namespace pcg {

/// The vectors of one solve, all zero at first; made before the clock starts, so that no page fault is timed.
struct Vectors {
  explicit Vectors(std::size_t rows) : x(rows), r(rows), p(rows), p_prev(rows), s(rows), t(rows), w(rows) {}
  Vector x;       // solution
  Vector r;       // residual b - Ax
  Vector p;       // search direction
  Vector p_prev;  // the one before
  Vector s;       // A p; in algorithm1 also C^-1 r
  Vector t;       // L^-1 r
  Vector w;       // L^-1 t = C^-1 r
};

/// The same for pipelined. What others compute from r and p by A and C^-1 follows r and p here, by updates.
struct PipelinedVectors {
  explicit PipelinedVectors(std::size_t rows)
      : x(rows), r(rows), u(rows), w(rows), m(rows), n(rows), p(rows), s(rows), q(rows), z(rows) {}
  Vector x;  // solution
  Vector r;  // residual b - Ax
  Vector u;  // C^-1 r
  Vector w;  // A u
  Vector m;  // C^-1 w
  Vector n;  // A m
  Vector p;  // search direction
  Vector s;  // A p
  Vector q;  // C^-1 s
  Vector z;  // A q
};

/// The same for gropp.
struct GroppVectors {
  explicit GroppVectors(std::size_t rows) : x(rows), r(rows), z(rows), p(rows), s(rows), q(rows), w(rows) {}
  Vector x;  // solution
  Vector r;  // residual b - Ax
  Vector z;  // C^-1 r, by updates
  Vector p;  // search direction
  Vector s;  // A p, by updates
  Vector q;  // C^-1 s
  Vector w;  // A z
};

/// The same for sstep. Columns are numbered from 0.
struct SstepVectors {
  SstepVectors(std::size_t rows, int steps, double bound)
      : bound(bound), x(rows), v(steps + 1, x), d(steps, x), p(steps, x), q(steps, x), q_next(steps, x) {}
  double bound;                // no eigenvalue of C^-1 A is larger
  Vector x;                    // solution
  std::vector<Vector> v;       // residual b - Ax, and its Krylov space
  std::vector<Vector> d;       // C^-1 v; becomes p
  std::vector<Vector> p;       // search directions of the block
  std::vector<Vector> q;       // A p
  std::vector<Vector> q_next;  // becomes q
};

void algorithm1(Steps& step, const Vector& b, Vectors& v, Stopping& stopping);
void algorithm2(Steps& step, const Vector& b, Vectors& v, Stopping& stopping);
void overlap(Steps& step, const Vector& b, Vectors& v, Stopping& stopping);
void gropp(Steps& step, const Vector& b, GroppVectors& v, Stopping& stopping);
/// With `replace_every` > 0, what is carried along by updates is made afresh every so many iterations.
void pipelined(Steps& step, const Vector& b, PipelinedVectors& v, Stopping& stopping, int replace_every);
void sstep(Steps& step, const Vector& b, SstepVectors& v, Stopping& stopping, int replace_every);

/// hypre's own PCG on the same matrix, with the same preconditioner and the same test. `times` gets its
/// rows of Table I; the halo exchange is inside hypre's matvec, so Part::kHalo becomes NaN.
class HypreReference {
 public:
  HypreReference(const Operator& matrix, const Preconditioner& preconditioner, const Vector& b);

  /// From `x`, in place.
  void solve(Times& times, Vector& x, Stopping& stopping);

 private:
  const Operator& matrix_;
  const Preconditioner& preconditioner_;
  HypreVector b_;
  HypreVector x_;
};

}  // namespace pcg
