// SPDX-License-Identifier: BSD-3-Clause
#include "exact.hpp"

#include <cmath>
#include <numbers>

namespace poisson {
namespace {

constexpr int kMostWaves = 6;

double eigenvalue_of(long long wave, long long whole) {
  const double sine = std::sin(std::numbers::pi * static_cast<double>(wave) / (2.0 * (whole + 1.0)));
  return 4 * sine * sine;
}

/// sin(pi wave i / (whole + 1)), with the angle reduced in integers: as exact for high waves as for low ones.
double sine_at(long long wave, long long i, long long whole) {
  const long long period = 2 * (whole + 1);
  const auto turned = static_cast<double>(wave * i % period);
  return std::sin(2 * std::numbers::pi * turned / static_cast<double>(period));
}

/// A factor of u along one direction, and what the second difference makes of it; at this rank's points.
struct Factor {
  Vector value;
  Vector applied;
};

/// Waves 1, 1 + step, 1 + 2 step … as far as the grid resolves them, with amplitudes 1 / wave.
Factor factor_along(const Stretch& stretch, int step) {
  Factor factor{Vector(stretch.count), Vector(stretch.count)};
  for (int j = 0; j < kMostWaves && 1 + j * step <= stretch.whole; ++j) {
    const int wave = 1 + j * step;
    const double eigenvalue = eigenvalue_of(wave, stretch.whole);
    for (int i = 0; i < stretch.count; ++i) {
      const double sine = sine_at(wave, stretch.first + i + 1LL, stretch.whole) / wave;
      factor.value[i] += sine;
      factor.applied[i] += eigenvalue * sine;
    }
  }
  return factor;
}

}  // namespace

Problem make_problem_3d(const Box& box) {
  const Factor f = factor_along(box[0], 2);
  const Factor g = factor_along(box[1], 3);
  const Factor h = factor_along(box[2], 4);
  Problem problem;
  problem.b.reserve(points_of(box));
  problem.exact.reserve(points_of(box));
  for (int z = 0; z < box[2].count; ++z)
    for (int y = 0; y < box[1].count; ++y)
      for (int x = 0; x < box[0].count; ++x) {
        problem.exact.push_back(f.value[x] * g.value[y] * h.value[z]);
        problem.b.push_back(f.applied[x] * g.value[y] * h.value[z] + f.value[x] * g.applied[y] * h.value[z] +
                            f.value[x] * g.value[y] * h.applied[z]);
      }
  for (const Stretch& stretch : box) problem.smallest_eigenvalue += eigenvalue_of(1, stretch.whole);
  problem.largest_eigenvalue = 12;
  return problem;
}

Problem make_problem_1d(const Stretch& stretch) {
  Problem problem;
  const double h = 1 / (stretch.whole + 1.0);
  problem.b.assign(stretch.count, h * h);
  for (int j = 0; j < stretch.count; ++j) {
    const double i = stretch.first + j + 1.0;
    problem.exact.push_back((i * h) * ((stretch.whole + 1.0 - i) * h) / 2);
  }
  problem.smallest_eigenvalue = eigenvalue_of(1, stretch.whole);
  problem.largest_eigenvalue = 4;
  return problem;
}

}  // namespace poisson
