// SPDX-License-Identifier: BSD-3-Clause
#include "steps.hpp"

#include <cassert>

namespace pcg {
namespace {

double local_inner_product(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

void Steps::matvec(const Vector& x, Vector& y) {
  Timed timed(times_[Part::kMatvec]);
  matrix_.apply(x, y, times_[Part::kHalo]);
}

void Steps::diag_scale(const Vector& x, Vector& y) {
  Timed timed(times_[Part::kPrecond]);
  matrix_.diag_scale(x, y);
}

void Steps::diag_inv_scale(const Vector& x, Vector& y) {
  Timed timed(times_[Part::kPrecond]);
  matrix_.diag_inv_scale(x, y);
}

void Steps::axpy(double alpha, const Vector& x, Vector& y) {
  Timed timed(times_[Part::kAxpy]);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += alpha * x[i];
}

void Steps::scale(double alpha, const Vector& x, Vector& y) {
  Timed timed(times_[Part::kScale]);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = alpha * x[i];
}

double Steps::inner_product(InnerProduct which, const Vector& x, const Vector& y) {
  Timed timed(times_[part_of(which)]);
  const double local = local_inner_product(x, y);
  double global = 0;
  Timed in_mpi(times_[Part::kAllreduce]);
  MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, matrix_.communicator());
  return global;
}

void Steps::start_inner_product(InnerProduct which, const Vector& x, const Vector& y) {
  Timed timed(times_[part_of(which)]);
  Pending& pending = pending_[static_cast<std::size_t>(which)];
  assert(pending.request == MPI_REQUEST_NULL);
  pending.local = local_inner_product(x, y);

  const double before = now();
  MPI_Iallreduce(&pending.local, &pending.global, 1, MPI_DOUBLE, MPI_SUM, matrix_.communicator(),
                 &pending.request);
  pending.started_at = now();
  times_[which].count += 1;
  times_[which].starting += pending.started_at - before;
  times_[Part::kAllreduce] += pending.started_at - before;
}

double Steps::wait_inner_product(InnerProduct which) {
  Timed timed(times_[part_of(which)]);
  Pending& pending = pending_[static_cast<std::size_t>(which)];
  assert(pending.request != MPI_REQUEST_NULL);

  const double before = now();
  MPI_Wait(&pending.request, MPI_STATUS_IGNORE);
  const double waited = now() - before;
  times_[which].available += before - pending.started_at;
  times_[which].waiting += waited;
  times_[Part::kAllreduce] += waited;
  return pending.global;
}

}  // namespace pcg
