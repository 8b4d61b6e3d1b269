// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of sstep between two of its reductions: from inner products to the S iterations of a block.
//
// A block has basis vectors v_0 = r, v_1 ... v_S of the Krylov space of M = A C^-1, their d_i = C^-1 v_i, and
// the directions P with Q = A P of the block before. Its own directions are p_i = d_i + P B_i, with B such
// that all are A-conjugate to P, as Chronopoulos and Gear, "s-step iterative methods for symmetric linear
// systems" (J. Comput. Appl. Math. 25, 1989) have them. Iteration j minimises the error over p_0 ... p_j: a
// pivot of their Gram matrix is p.Ap there, and r is known by its coordinates in v and Q, so also r.r.
//
// The basis is that of the Chebyshev polynomials on [0, bound], bound at least the largest eigenvalue of M:
// powers of M would soon point all in one direction (Hoemmen, "Communication-avoiding Krylov subspace
// methods", 2010; Carson and Demmel, "A residual replacement strategy for improving the maximum attainable
// accuracy of s-step Krylov subspace methods", SIAM J. Matrix Anal. Appl. 35, 2014).
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace pcg {

/// Small, dense, zero at first.
class Dense {
 public:
  Dense(int rows, int columns) : columns_(columns), values_(static_cast<std::size_t>(rows) * columns) {}
  double& operator()(int row, int column) {
    return values_[static_cast<std::size_t>(row) * columns_ + column];
  }
  double operator()(int row, int column) const {
    return values_[static_cast<std::size_t>(row) * columns_ + column];
  }

 private:
  int columns_;
  std::vector<double> values_;
};

/// The inner products of one block over all ranks, each family symmetric where its vectors are the same.
struct BlockProducts {
  BlockProducts(int steps, int previous)
      : steps(steps),
        previous(previous),
        dv(steps, steps + 1),
        dq(steps, previous),
        pq(previous, previous),
        pr(previous),
        zz(steps + 1 + previous, steps + 1 + previous) {}

  /// Calls `visit(left, right, place)` for every inner product, always in one order; z is v and then Q.
  enum class Of { kD, kP, kQ, kZ };
  using Visit = std::function<void(std::pair<Of, int> left, std::pair<Of, int> right, double& place)>;
  void for_each(const Visit& visit);

  int steps;               // S
  int previous;            // columns of P and Q; 0: no block before
  Dense dv;                // d_i . v_j for j >= i
  Dense dq;                // d_i . Q_j
  Dense pq;                // P_i . Q_j for j >= i
  std::vector<double> pr;  // P_i . r, which is 0 but for rounding
  Dense zz;                // z_i . z_j for j >= i
};

class Block {
 public:
  Block(BlockProducts products, double bound);

  /// p.Ap of the next direction, and what rounding may make of it.
  struct Pivot {
    double sdotp, rounding;
  };
  Pivot try_direction();

  /// Takes the direction that was tried, whose p.Ap must be positive, for one more iteration.
  void take_direction();

  /// r.r after the iterations so far. It is a small difference of large numbers where r shrinks much within a
  /// block: a value that rounding may have made is only as good as `rounding`.
  struct ResidualProduct {
    double value, rounding;
  };
  ResidualProduct residual_product() const;

  int directions() const { return count_; }

  /// x gains the directions by these, and r loses their products with A.
  const std::vector<double>& step_lengths() const { return lengths_; }

  double from_previous(int column, int direction) const { return b_(column, direction); }  ///< B
  double from_basis(int vector, int direction) const { return h_(vector, direction); }     ///< M d_i in the v

  /// False if P is no longer of use: the block must be made without it.
  bool previous_is_sound() const { return previous_is_sound_; }

 private:
  void conjugate();

  BlockProducts products_;
  Dense h_, b_, w_, lower_;  // M v = v h; p = d + P b; p.Ap; its factor
  std::vector<double> f_, pivots_, solved_, lengths_;
  int count_ = 0;
  bool previous_is_sound_ = true;
};

}  // namespace pcg
