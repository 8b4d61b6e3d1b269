// SPDX-License-Identifier: BSD-3-Clause
// Right-hand sides whose exact discrete solution is known, so that x itself can be checked.
//
// 3-D: u(x, y, z) = f(x) g(y) h(z), each factor a sum of up to six sines. sin(pi k i / (N + 1)), i = 1 .. N,
// is an eigenvector of the 1-D second difference (-1, 2, -1) with zero boundaries, with the eigenvalue
// 4 sin^2(pi k / (2 (N + 1))); so f' = A1 f is a sum of the same sines, and b = A u = f'gh + fg'h + fgh'. The
// waves differ from direction to direction: up to 216 eigenvalues, and CG needs that many steps in exact
// arithmetic.
//
// 1-D: u(t) = t (1 - t) / 2 on the unit interval, the solution of -u'' = 1 with zero boundaries. Second
// differences are exact for it: b = h^2 with h = 1 / (N + 1). CG needs N / 2 steps in exact arithmetic.
//
// The matrix is h^2 times the discrete Laplacian (6 on the diagonal, or 2), h the distance of points.
#pragma once

#include "process_grid.hpp"
#include "vector.hpp"

namespace poisson {

struct Problem {
  Vector b;                        ///< this rank's part
  Vector start;                    ///< x at first; empty: zero
  Vector exact;                    ///< of A x = b
  double smallest_eigenvalue = 0;  ///< of A: ||x|| <= ||A x|| / this
  double largest_eigenvalue = 0;   ///< an upper bound
};

Problem make_problem_3d(const Box& box);
Problem make_problem_1d(const Stretch& stretch);

}  // namespace poisson
