// SPDX-License-Identifier: BSD-3-Clause
// The s-step algorithm: one reduction per S iterations, of all inner products among the vectors that they can
// make (sstep_block.hpp). S matrix products per block, as elsewhere; only small matrices lie between them.
//
// Hardly anything can hide the reduction, since all that follows needs it: only the block before still owes x
// its update, the indented work. What drifts is r, and is made afresh now and then.
#include <algorithm>
#include <utility>

#include "algorithms.hpp"
#include "sstep_block.hpp"

namespace pcg {
namespace {

/// v_1 ... v_S by the Chebyshev recurrence on [0, bound], from v_0, and d.
void make_basis(Steps& step, SstepVectors& v) {
  const double inverse = 2 / v.bound;
  for (std::size_t j = 0; j < v.d.size(); ++j) {
    step.precondition(v.v[j], v.d[j]);                     // d_j = C^-1 v_j
    step.matvec(v.d[j], v.v[j + 1]);                       // A d_j = M v_j
    const double factor = j == 0 ? inverse : 2 * inverse;  // v_1 = (2/bound M - 1) v_0
    step.scale(factor, v.v[j + 1], v.v[j + 1]);            // v_j+1 = 2 (2/bound M - 1) v_j - v_j-1
    step.axpy(j == 0 ? -1 : -2, v.v[j], v.v[j + 1]);
    if (j > 0) step.axpy(-1, v.v[j - 1], v.v[j + 1]);
  }
}

std::vector<Steps::Pair> pairs_of(BlockProducts& products, const SstepVectors& v) {
  const auto vector_of = [&](std::pair<BlockProducts::Of, int> one) -> const Vector& {
    const auto [family, i] = one;
    const int basis = products.steps + 1;
    switch (family) {
      case BlockProducts::Of::kD: return v.d[i];
      case BlockProducts::Of::kP: return v.p[i];
      case BlockProducts::Of::kQ: return v.q[i];
      case BlockProducts::Of::kZ: break;
    }
    return i < basis ? v.v[i] : v.q[i - basis];
  };
  std::vector<Steps::Pair> pairs;
  products.for_each([&](auto left, auto right, double&) {
    pairs.push_back({&vector_of(left), &vector_of(right)});
  });
  return pairs;
}

/// P and Q of this block, and r after it.
void move_on(Steps& step, SstepVectors& v, const Block& block, int previous) {
  const int steps = static_cast<int>(v.d.size());
  std::vector<double> factors(steps + 1);
  for (int i = 0; i < block.directions(); ++i) {
    for (int k = 0; k <= steps; ++k) factors[k] = block.from_basis(k, i);
    step.scale(0, v.q_next[i], v.q_next[i]);
    step.add_combination(factors.data(), v.v, steps + 1, v.q_next[i]);
    for (int k = 0; k < previous; ++k) factors[k] = block.from_previous(k, i);
    step.add_combination(factors.data(), v.p, previous, v.d[i]);
    step.add_combination(factors.data(), v.q, previous, v.q_next[i]);
  }
  std::swap(v.p, v.d);
  std::swap(v.q, v.q_next);
  std::vector<double> loss(block.step_lengths());
  for (double& one : loss) one = -one;
  step.add_combination(loss.data(), v.q, block.directions(), v.v[0]);
}

}  // namespace

// clang-format off
void sstep(Steps& step, const Vector& b, SstepVectors& v, Stopping& stopping, int replace_every) {
  using enum InnerProduct;
  const int steps = static_cast<int>(v.d.size());
  std::vector<double> owed;                                                 // to x, along P
  const auto update_x = [&] {
    step.add_combination(owed.data(), v.p, static_cast<int>(owed.size()), v.x);
    owed.clear();
  };
  const auto make_residual = [&] {                                          // r = b - A x
    step.matvec(v.x, v.v[1]);
    step.scale(1, b, v.v[0]);
    step.axpy(-1, v.v[1], v.v[0]);
  };

  make_residual();
  stopping.begin(step.inner_product(kIprod, b, b), step.inner_product(kIprod, v.v[0], v.v[0]));
  int previous = 0;                                                         // directions of the block before
  int replaced_at = stopping.iterations();
  while (stopping.may_go_on()) {
    if (replace_every > 0 && stopping.iterations() - replaced_at >= replace_every) {
      replaced_at = stopping.iterations();
      update_x();
      make_residual();
    }
    make_basis(step, v);
    BlockProducts products(steps, previous);
    step.start_together(pairs_of(products, v));                             // all inner products start
    update_x();                                                             //     x = x + P lengths
    const double* sum = step.wait_sums();                                   // they are here
    products.for_each([&](auto, auto, double& place) { place = *sum++; });
    if (stopping.corrected(products.zz(0, 0))) break;

    Block block(std::move(products), v.bound);
    bool measure = false;                                                   // r.r, which cannot be told
    bool redo = !block.previous_is_sound();
    while (!redo && block.directions() < steps && stopping.may_go_on()) {
      const auto [sdotp, rounding] = block.try_direction();
      const bool is_first = block.directions() == 0;
      if (!(sdotp > rounding)) {
        // A direction that is hardly new ends the block. Anything else may come from directions that are no
        // longer conjugate: only without them is the matrix to blame.
        if (!is_first && sdotp >= -rounding) break;
        redo = previous > 0;
        if (!redo && stopping.next_iteration()) stopping.require_positive(sdotp);
        break;
      }
      block.take_direction();
      stopping.next_iteration();
      const auto [i_prod, uncertain] = block.residual_product();
      measure = !(i_prod > uncertain);
      if (stopping.converged(std::max(i_prod, uncertain)) || measure) break;
    }
    if (block.directions() > 0) {
      move_on(step, v, block, previous);
      owed = block.step_lengths();
    }
    if (measure) stopping.corrected(step.inner_product(kIprod, v.v[0], v.v[0]));
    previous = block.directions();
    if (redo) {
      update_x();
      make_residual();
      previous = 0;
    }
  }
  update_x();
}
// clang-format on

}  // namespace pcg
