// SPDX-License-Identifier: BSD-3-Clause
#include "preconditioner.hpp"

#include <HYPRE_utilities.h>
#include <algorithm>
#include <cassert>
#include <limits>

#include "timed.hpp"
#include "verdict.hpp"

namespace pcg {

Preconditioner::Preconditioner(const Operator& matrix, PreconditionerKind kind)
    : matrix_(matrix), kind_(kind) {
  if (kind != PreconditionerKind::kBoomerAmg) return;
  {
    app::Timed timed(setup_seconds_);
    set_up_multigrid();
  }
  MPI_Allreduce(MPI_IN_PLACE, &setup_seconds_, 1, MPI_DOUBLE, MPI_MAX, matrix.communicator());
}

Preconditioner::~Preconditioner() {
  if (multigrid_ != nullptr) HYPRE_BoomerAMGDestroy(multigrid_);
}

void Preconditioner::set_up_multigrid() {
  constexpr HYPRE_Int kForwards = 13, kBackwards = 14, kJacobi = 18;  // hypre's relax types
  constexpr HYPRE_Int kDown = 1, kUp = 2, kCoarsest = 3;              // hypre's parts of a cycle
  constexpr HYPRE_Int kCoarsestSweeps = 4;
  in_ = std::make_unique<HypreVector>(matrix_);
  out_ = std::make_unique<HypreVector>(matrix_);
  HYPRE_BoomerAMGCreate(&multigrid_);
  HYPRE_BoomerAMGSetPrintLevel(multigrid_, 0);
  HYPRE_BoomerAMGSetMaxIter(multigrid_, 1);
  HYPRE_BoomerAMGSetTol(multigrid_, 0);
  HYPRE_BoomerAMGSetCycleRelaxType(multigrid_, kForwards, kDown);
  HYPRE_BoomerAMGSetCycleRelaxType(multigrid_, kBackwards, kUp);
  // Not by elimination, in place of which hypre puts hybrid Gauss-Seidel, which is not symmetric, where the
  // coarsest grid has more than a few rows.
  HYPRE_BoomerAMGSetCycleRelaxType(multigrid_, kJacobi, kCoarsest);
  HYPRE_BoomerAMGSetCycleNumSweeps(multigrid_, kCoarsestSweeps, kCoarsest);
  HYPRE_BoomerAMGSetup(multigrid_, matrix_.hypre_matrix(), in_->get(), out_->get());
  const bool failed = HYPRE_GetError() != 0;
  HYPRE_ClearAllErrors();
  try {
    app::together(matrix_.communicator(), [failed] {
      if (failed)
        throw app::BadInput(
            "hypre's BoomerAMG cannot be set up for this matrix: use --preconditioner diagonal");
    });
  } catch (...) {
    HYPRE_BoomerAMGDestroy(multigrid_);  // no destructor runs for an object that is not finished
    throw;
  }
}

void Preconditioner::apply(const Vector& x, Vector& y) const {
  switch (kind_) {
    case PreconditionerKind::kDiagonal: matrix_.diag_scale(x, y); return;
    case PreconditionerKind::kNone: y = x; return;
    case PreconditionerKind::kBoomerAmg: break;
  }
  std::copy(x.begin(), x.end(), in_->elements());
  std::fill_n(out_->elements(), y.size(), 0.0);
  apply_by_hypre(in_->get(), out_->get());
  std::copy_n(out_->elements(), y.size(), y.begin());
}

double Preconditioner::bytes() const {
  if (kind_ == PreconditionerKind::kBoomerAmg) return std::numeric_limits<double>::quiet_NaN();
  const int vectors = kind_ == PreconditionerKind::kDiagonal ? 3 : 2;
  return 1.0 * sizeof(double) * vectors * matrix_.row_count();
}

void Preconditioner::apply_half(const Vector& x, Vector& y) const {
  assert(kind_ != PreconditionerKind::kBoomerAmg);
  if (kind_ == PreconditionerKind::kDiagonal) matrix_.diag_inv_scale(x, y);
  else y = x;
}

void Preconditioner::apply_by_hypre(HYPRE_ParVector x, HYPRE_ParVector y) const {
  switch (kind_) {
    case PreconditionerKind::kDiagonal: HYPRE_ParCSRDiagScale(nullptr, matrix_.hypre_matrix(), x, y); return;
    case PreconditionerKind::kNone: HYPRE_ParVectorCopy(x, y); return;
    case PreconditionerKind::kBoomerAmg:
      HYPRE_BoomerAMGSolve(multigrid_, matrix_.hypre_matrix(), x, y);
      return;
  }
}

}  // namespace pcg
