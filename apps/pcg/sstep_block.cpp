// SPDX-License-Identifier: BSD-3-Clause
#include "sstep_block.hpp"

#include <algorithm>
#include <cmath>

namespace pcg {
namespace {

constexpr double kPivotRounding = 1e-12;    // of the element on the diagonal
constexpr double kProductRounding = 1e-13;  // of the terms of the sum

/// One more row of W = L D L^T; `lower` has L below the diagonal. Returns the pivot.
double factor_row(const Dense& w, Dense& lower, std::vector<double>& pivots, int row) {
  double pivot = w(row, row);
  for (int j = 0; j < row; ++j) {
    double sum = w(row, j);
    for (int k = 0; k < j; ++k) sum -= lower(row, k) * pivots[k] * lower(j, k);
    lower(row, j) = sum / pivots[j];
    pivot -= lower(row, j) * sum;
  }
  pivots.push_back(pivot);
  return pivot;
}

/// x of L^T x = y for the first `count` rows.
std::vector<double> back_substitute(const Dense& lower, std::vector<double> y, int count) {
  for (int i = count - 1; i >= 0; --i)
    for (int k = i + 1; k < count; ++k) y[i] -= lower(k, i) * y[k];
  return y;
}

}  // namespace

void BlockProducts::for_each(const Visit& visit) {
  using enum Of;
  const int z_count = steps + 1 + previous;
  for (int i = 0; i < steps; ++i)
    for (int j = i; j <= steps; ++j) visit({kD, i}, {kZ, j}, dv(i, j));
  for (int i = 0; i < steps; ++i)
    for (int j = 0; j < previous; ++j) visit({kD, i}, {kQ, j}, dq(i, j));
  for (int i = 0; i < previous; ++i)
    for (int j = i; j < previous; ++j) visit({kP, i}, {kQ, j}, pq(i, j));
  for (int i = 0; i < previous; ++i) visit({kP, i}, {kZ, 0}, pr[i]);
  for (int i = 0; i < z_count; ++i)
    for (int j = i; j < z_count; ++j) visit({kZ, i}, {kZ, j}, zz(i, j));
}

Block::Block(BlockProducts products, double bound)
    : products_(std::move(products)),
      h_(products_.steps + 1, products_.steps),
      b_(products_.previous, products_.steps),
      w_(products_.steps, products_.steps),
      lower_(products_.steps, products_.steps) {
  const int steps = products_.steps;
  const double half = bound / 2;  // centre and half width of [0, bound]
  for (int j = 0; j < steps; ++j) {
    h_(j, j) = half;
    h_(j + 1, j) = j == 0 ? half : half / 2;
    if (j > 0) h_(j - 1, j) = half / 2;
  }
  conjugate();
  const auto dv = [&](int i, int j) { return products_.dv(std::min(i, j), std::max(i, j)); };
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < steps; ++j) {
      for (int k = 0; k <= steps; ++k) w_(i, j) += (dv(i, k) * h_(k, j) + dv(j, k) * h_(k, i)) / 2;
      for (int k = 0; k < products_.previous; ++k) w_(i, j) += products_.dq(i, k) * b_(k, j);
    }
    f_.push_back(dv(i, 0));
    for (int k = 0; k < products_.previous; ++k) f_[i] += b_(k, i) * products_.pr[k];
  }
}

/// B = -(P . Q)^-1 (Q . d).
void Block::conjugate() {
  const int previous = products_.previous;
  Dense full(previous, previous);
  for (int i = 0; i < previous; ++i)
    for (int j = 0; j < previous; ++j) full(i, j) = products_.pq(std::min(i, j), std::max(i, j));
  Dense lower(previous, previous);
  std::vector<double> pivots;
  for (int i = 0; i < previous; ++i)
    if (!(factor_row(full, lower, pivots, i) > kPivotRounding * full(i, i))) previous_is_sound_ = false;
  if (!previous_is_sound_) return;
  for (int column = 0; column < products_.steps; ++column) {
    std::vector<double> y(previous);
    for (int i = 0; i < previous; ++i) {
      y[i] = -products_.dq(column, i);
      for (int k = 0; k < i; ++k) y[i] -= lower(i, k) * y[k];
    }
    for (int i = 0; i < previous; ++i) y[i] /= pivots[i];
    y = back_substitute(lower, std::move(y), previous);
    for (int i = 0; i < previous; ++i) b_(i, column) = y[i];
  }
}

Block::Pivot Block::try_direction() {
  return {factor_row(w_, lower_, pivots_, count_), kPivotRounding * std::abs(w_(count_, count_))};
}

void Block::take_direction() {
  double y = f_[count_];
  for (int k = 0; k < count_; ++k) y -= lower_(count_, k) * solved_[k] * pivots_[k];
  solved_.push_back(y / pivots_[count_]);
  ++count_;
  lengths_ = back_substitute(lower_, solved_, count_);
}

Block::ResidualProduct Block::residual_product() const {
  const int basis = products_.steps + 1;
  const int z_count = basis + products_.previous;
  std::vector<double> r(z_count);
  r[0] = 1;
  for (int i = 0; i < count_; ++i) {
    for (int k = 0; k < basis; ++k) r[k] -= lengths_[i] * h_(k, i);
    for (int k = 0; k < products_.previous; ++k) r[basis + k] -= lengths_[i] * b_(k, i);
  }
  ResidualProduct product{0, 0};
  for (int i = 0; i < z_count; ++i)
    for (int j = i; j < z_count; ++j) {
      const double term = (i == j ? 1 : 2) * r[i] * r[j] * products_.zz(i, j);
      product.value += term;
      product.rounding += kProductRounding * std::abs(term);
    }
  return product;
}

}  // namespace pcg
