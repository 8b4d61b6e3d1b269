// SPDX-License-Identifier: BSD-3-Clause
#include "steps.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace pcg {
namespace {

double local_inner_product(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

constexpr std::size_t kChunk = 256;  // rows of some twenty vectors that the first cache holds

/// In four parts, so that no sum waits for the one before.
double dot(const double* x, const double* y, std::size_t count) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += x[i + k] * y[i + k];
  for (; i < count; ++i) sums[0] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void Steps::matvec(const Vector& x, Vector& y) {
  times_.bytes += matrix_.bytes();
  count(2, x);
  Timed timed(times_[Part::kMatvec]);
  matrix_.apply(x, y, times_[Part::kHalo]);
}

void Steps::precondition(const Vector& x, Vector& y) {
  times_.bytes += preconditioner_.bytes();
  Timed timed(times_[Part::kPrecond]);
  preconditioner_.apply(x, y);
}

void Steps::precondition_half(const Vector& x, Vector& y) {
  count(3, x);
  Timed timed(times_[Part::kPrecond]);
  preconditioner_.apply_half(x, y);
}

void Steps::axpy(double alpha, const Vector& x, Vector& y) {
  count(3, x);
  Timed timed(times_[Part::kAxpy]);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += alpha * x[i];
}

void Steps::aypx(double alpha, const Vector& x, Vector& y) {
  count(3, x);
  Timed timed(times_[Part::kAxpy]);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + alpha * y[i];
}

void Steps::scale(double alpha, const Vector& x, Vector& y) {
  count(2, x);
  Timed timed(times_[Part::kScale]);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = alpha * x[i];
}

void Steps::add_combination(const double* factors, const std::vector<Vector>& columns, int count, Vector& y) {
  Timed timed(times_[Part::kAxpy]);
  this->count(2 + static_cast<int>(count - std::count(factors, factors + count, 0.0)), y);
  for (std::size_t from = 0; from < y.size(); from += kChunk) {
    const std::size_t end = std::min(from + kChunk, y.size());
    for (int k = 0; k < count; ++k) {
      if (factors[k] == 0) continue;  // most of what M d is in the basis
      for (std::size_t i = from; i < end; ++i) y[i] += factors[k] * columns[k][i];
    }
  }
}

double Steps::inner_product(InnerProduct which, const Vector& x, const Vector& y) {
  count(&x == &y ? 1 : 2, x);
  Timed timed(times_[part_of(which)]);
  const double local = local_inner_product(x, y);
  double global = 0;
  Timed in_mpi(times_[Part::kAllreduce]);
  reduce(&local, &global, 1);
  return global;
}

void Steps::reduce(const double* local, double* global, int count) {
  if (exchange_ == Exchange::kSkipped) {
    sums_->replay(global, count);
    return;
  }
  MPI_Allreduce(local, global, count, MPI_DOUBLE, MPI_SUM, matrix_.communicator());
  if (sums_ != nullptr) sums_->record(global, count);
}

void Steps::start_inner_product(InnerProduct which, const Vector& x, const Vector& y) {
  count(&x == &y ? 1 : 2, x);
  Timed timed(times_[part_of(which)]);
  pending(which).local[0] = local_inner_product(x, y);
  start(which, 1);
}

double Steps::wait_inner_product(InnerProduct which) {
  Timed timed(times_[part_of(which)]);
  wait(which);
  return pending(which).global[0];
}

void Steps::start_together(const Vector& r, const Vector& u, const Vector& w) {
  count(3, r);
  Timed timed(times_[Part::kTogether]);
  double gamma = 0;
  double udotw = 0;
  double i_prod = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    gamma += r[i] * u[i];
    udotw += w[i] * u[i];
    i_prod += r[i] * r[i];
  }
  pending(InnerProduct::kTogether).local = {gamma, i_prod, udotw};
  start(InnerProduct::kTogether, 3);
}

void Steps::start_together(const Vector& r, const Vector& u) {
  count(2, r);
  Timed timed(times_[Part::kTogether]);
  double gamma = 0;
  double i_prod = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    gamma += r[i] * u[i];
    i_prod += r[i] * r[i];
  }
  pending(InnerProduct::kTogether).local = {gamma, i_prod, 0};
  start(InnerProduct::kTogether, 2);
}

Steps::Together Steps::wait_together() {
  Timed timed(times_[Part::kTogether]);
  wait(InnerProduct::kTogether);
  const std::vector<double>& sums = pending(InnerProduct::kTogether).global;
  return {.gamma = sums[0], .i_prod = sums[1], .udotw = sums[2]};
}

void Steps::start_together(const std::vector<Pair>& pairs) {
  Timed timed(times_[Part::kTogether]);
  Pending& one = pending(InnerProduct::kTogether);
  one.local.assign(pairs.size(), 0.0);
  one.global.resize(pairs.size());
  std::set<const Vector*> read;
  for (const Pair& pair : pairs) read.insert({pair.left, pair.right});
  count(static_cast<int>(read.size()), *pairs.front().left);
  const std::size_t rows = pairs.front().left->size();
  for (std::size_t from = 0; from < rows; from += kChunk)
    for (std::size_t i = 0; i < pairs.size(); ++i)
      one.local[i] +=
          dot(pairs[i].left->data() + from, pairs[i].right->data() + from, std::min(kChunk, rows - from));
  start(InnerProduct::kTogether, static_cast<int>(pairs.size()));
}

const double* Steps::wait_sums() {
  Timed timed(times_[Part::kTogether]);
  wait(InnerProduct::kTogether);
  return pending(InnerProduct::kTogether).global.data();
}

void Steps::start(InnerProduct which, int count) {
  Pending& one = pending(which);
  assert(!one.is_under_way);
  one.is_under_way = true;
  const double before = now();
  if (exchange_ == Exchange::kOverlapped)
    MPI_Iallreduce(one.local.data(), one.global.data(), count, MPI_DOUBLE, MPI_SUM, matrix_.communicator(),
                   &one.request);
  else reduce(one.local.data(), one.global.data(), count);
  one.started_at = now();
  times_[which].count += 1;
  times_[which].starting += one.started_at - before;
  times_[Part::kAllreduce] += one.started_at - before;
}

void Steps::wait(InnerProduct which) {
  Pending& one = pending(which);
  assert(one.is_under_way);
  one.is_under_way = false;
  const double before = now();
  MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  const double waited = now() - before;
  times_[which].available += before - one.started_at;
  times_[which].waiting += waited;
  times_[Part::kAllreduce] += waited;
}

}  // namespace pcg
