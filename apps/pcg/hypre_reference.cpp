// SPDX-License-Identifier: BSD-3-Clause
// hypre's own PCG, as HYPRE_ParCSRPCGCreate sets it up, with a clock around each operation that it calls.
//
// hypre's solver knows its operations through a table of functions; ours is the same table with timed
// entries. hypre asks for inner products without saying which one: r.r is the one of a vector with itself,
// s.p follows a matvec and gamma a preconditioning.
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>
#include <algorithm>
#include <cmath>
#include <krylov.h>
#include <limits>

#include "algorithms.hpp"

namespace pcg {
namespace {

/// What the timed entries share; hypre passes them no context. One solve at a time.
struct Recorder {
  Times* times = nullptr;
  const Preconditioner* preconditioner = nullptr;
  InnerProduct next = InnerProduct::kGamma;
  std::vector<double> i_prods;  // b.b first, then r.r after every iteration
  double bad_sdotp = 1;         // the first p.Ap that cannot be used
  int sdotp_count = 0;
};
Recorder recorder;

void record_into(Times& times, const Preconditioner& preconditioner) {
  recorder = Recorder();
  recorder.times = &times;
  recorder.preconditioner = &preconditioner;
}

HYPRE_Int timed_matvec(void* data, HYPRE_Complex alpha, void* matrix, void* x, HYPRE_Complex beta, void* y) {
  Timed timed((*recorder.times)[Part::kMatvec]);
  recorder.next = InnerProduct::kSdotp;
  return hypre_ParKrylovMatvec(data, alpha, matrix, x, beta, y);
}

HYPRE_Int timed_precond(void*, void*, void* b, void* x) {
  Timed timed((*recorder.times)[Part::kPrecond]);
  recorder.next = InnerProduct::kGamma;
  recorder.preconditioner->apply_by_hypre(static_cast<HYPRE_ParVector>(b), static_cast<HYPRE_ParVector>(x));
  return 0;
}

HYPRE_Int no_setup(void*, void*, void*, void*) { return 0; }

/// hypre_ParVectorInnerProd in its two halves, so that the waiting is seen apart.
HYPRE_Real timed_inner_product(void* x, void* y) {
  const InnerProduct which = x == y ? InnerProduct::kIprod : recorder.next;
  Timed timed((*recorder.times)[part_of(which)]);
  auto* left = static_cast<hypre_ParVector*>(x);
  auto* right = static_cast<hypre_ParVector*>(y);
  const HYPRE_Real local =
      hypre_SeqVectorInnerProd(hypre_ParVectorLocalVector(left), hypre_ParVectorLocalVector(right));
  HYPRE_Real global = 0;
  {
    Timed in_mpi((*recorder.times)[Part::kAllreduce]);
    MPI_Allreduce(&local, &global, 1, HYPRE_MPI_REAL, MPI_SUM, hypre_ParVectorComm(left));
  }
  if (which == InnerProduct::kIprod) recorder.i_prods.push_back(global);
  if (which != InnerProduct::kSdotp) return global;
  ++recorder.sdotp_count;
  if (global > 0 && std::isfinite(global)) return global;
  recorder.bad_sdotp = global;
  return 0;  // hypre stops at a zero p.Ap
}

HYPRE_Int timed_scale(HYPRE_Complex alpha, void* x) {
  Timed timed((*recorder.times)[Part::kScale]);
  return hypre_ParKrylovScaleVector(alpha, x);
}

HYPRE_Int timed_axpy(HYPRE_Complex alpha, void* x, void* y) {
  Timed timed((*recorder.times)[Part::kAxpy]);
  return hypre_ParKrylovAxpy(alpha, x, y);
}

/// HYPRE_ParCSRPCGCreate with the timed entries.
HYPRE_Solver make_solver(const Stopping& stopping) {
  hypre_PCGFunctions* functions = hypre_PCGFunctionsCreate(
      hypre_ParKrylovCAlloc, hypre_ParKrylovFree, hypre_ParKrylovCommInfo, hypre_ParKrylovCreateVector,
      hypre_ParKrylovDestroyVector, hypre_ParKrylovMatvecCreate, timed_matvec, hypre_ParKrylovMatvecDestroy,
      timed_inner_product, hypre_ParKrylovCopyVector, hypre_ParKrylovClearVector, timed_scale, timed_axpy,
      no_setup, timed_precond);
  auto solver = static_cast<HYPRE_Solver>(hypre_PCGCreate(functions));
  HYPRE_ParCSRPCGSetTwoNorm(solver, 1);
  HYPRE_ParCSRPCGSetTol(solver, stopping.tolerance());
  HYPRE_ParCSRPCGSetMaxIter(solver, stopping.iterations_left());
  return solver;
}

}  // namespace

HypreReference::HypreReference(const Operator& matrix, const Preconditioner& preconditioner, const Vector& b)
    : matrix_(matrix), preconditioner_(preconditioner), b_(matrix), x_(matrix) {
  std::copy(b.begin(), b.end(), b_.elements());
}

void HypreReference::solve(Times& times, Vector& x, Stopping& stopping) {
  std::copy(x.begin(), x.end(), x_.elements());
  const int iterations_before = stopping.iterations();
  Times discarded;
  record_into(discarded, preconditioner_);
  HYPRE_Solver solver = make_solver(stopping);
  HYPRE_ParCSRPCGSetup(solver, matrix_.hypre_matrix(), b_.get(), x_.get());

  record_into(times, preconditioner_);
  MPI_Barrier(matrix_.communicator());
  {
    Timed timed(times[Part::kSolver]);
    HYPRE_ParCSRPCGSolve(solver, matrix_.hypre_matrix(), b_.get(), x_.get());
  }
  times[Part::kHalo] = std::numeric_limits<double>::quiet_NaN();  // inside hypre's matvec
  times.bytes = std::numeric_limits<double>::quiet_NaN();

  HYPRE_Int iterations = 0;
  HYPRE_Int converged = 0;
  HYPRE_ParCSRPCGGetNumIterations(solver, &iterations);
  HYPRE_PCGGetConverged(solver, &converged);
  const std::vector<double>& products = recorder.i_prods;
  stopping.adopt(products.front(), {products.begin() + 1, products.end()}, static_cast<int>(iterations),
                 converged != 0);
  std::copy_n(x_.elements(), x.size(), x.begin());
  HYPRE_ParCSRPCGDestroy(solver);
  HYPRE_ClearAllErrors();  // hypre also counts "not converged" as one; that is reported from `stopping`
  require_positive(recorder.bad_sdotp, iterations_before + recorder.sdotp_count);
}

}  // namespace pcg
