// SPDX-License-Identifier: BSD-3-Clause
// C, which approximates A, and what the solvers apply of it: C^-1, and L^-1 where C = L L.
//
//   diagonal   C = diag(A)
//   none       C = I
//   boomeramg  C^-1 is one V-cycle of hypre's algebraic multigrid, from zero: the number of iterations hardly
//              grows with the grid. Down it smoothes by l1-scaled Gauss-Seidel forwards, up by its adjoint,
//              backwards, and on the coarsest grid by l1-scaled Jacobi, so that C is symmetric, as conjugate
//              gradients need it, and definite on any number of ranks (Baker, Falgout, Kolev, Yang,
//              "Multigrid smoothers for ultraparallel computing", SIAM J. Sci. Comput. 33, 2011). An L is not
//              to be had.
#pragma once

#include <HYPRE_parcsr_ls.h>
#include <memory>

#include "hypre_vector.hpp"
#include "operator.hpp"
#include "options.hpp"

namespace pcg {

class Preconditioner {
 public:
  /// Collective. Throws BadInput on all ranks when multigrid cannot be set up for the matrix.
  Preconditioner(const Operator& matrix, PreconditionerKind kind);
  ~Preconditioner();
  Preconditioner(const Preconditioner&) = delete;
  Preconditioner& operator=(const Preconditioner&) = delete;

  void apply(const Vector& x, Vector& y) const;       ///< y = C^-1 x
  void apply_half(const Vector& x, Vector& y) const;  ///< y = L^-1 x; not for boomeramg

  /// y = C^-1 x by hypre's functions, for hypre's own solver; y must be 0.
  void apply_by_hypre(HYPRE_ParVector x, HYPRE_ParVector y) const;

  /// What `apply` reads and writes; NaN where only hypre knows.
  double bytes() const;

  double setup_seconds() const { return setup_seconds_; }  ///< of the slowest rank

 private:
  void set_up_multigrid();

  const Operator& matrix_;
  const PreconditionerKind kind_;
  HYPRE_Solver multigrid_ = nullptr;
  std::unique_ptr<HypreVector> in_, out_;  // of multigrid
  double setup_seconds_ = 0;
};

}  // namespace pcg
