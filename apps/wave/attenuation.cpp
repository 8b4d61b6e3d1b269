// SPDX-License-Identifier: BSD-3-Clause
#include "attenuation.hpp"

#include <cmath>
#include <numbers>

namespace wave {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

double peak(double frequency, double tau) {
  const double turned = kTwoPi * frequency * tau;
  return turned / (1 + turned * turned);
}

/// Which relaxation time a point has. Each plane across x, y or z has four of them, fast ones and slow ones.
int relaxation_of(int x, int y, int z) {
  x &= 1, y &= 1, z &= 1;
  return (x ^ y ^ z) + 2 * (x ^ z) + 4 * (y ^ z);
}

}  // namespace

double Attenuation::flatness(double frequency) const {
  double sum = 0;
  for (int k = 0; k < kRelaxations; ++k) sum += weight[k] * peak(frequency, tau[k]);
  return sum;
}

double Attenuation::stiffening(double quality) const {
  double relaxed = 0;
  for (int k = 0; k < kRelaxations; ++k) {
    const double turned = kTwoPi * reference * tau[k];
    relaxed += weight[k] / (1 + turned * turned);
  }
  return 1 + relaxed / quality;
}

/// Least squares without negative weights, one weight after the other until nothing changes (the matrix is
/// positive definite, so this ends at the minimum). A little of the weights' own size is added to what is
/// minimised: peaks overlap, and many sums are alike.
Attenuation fit_attenuation(double low, double high, double reference) {
  constexpr int kFrequencies = 64, kSweeps = 4000;
  constexpr double kEvenness = 0.02;
  constexpr double kBeyond =
      2;  // relaxations reach so far outside the band, for the sum to be even up to its ends
  Attenuation fit{.low = low, .high = high, .reference = reference};
  const double first = low / kBeyond;
  const double last = high * kBeyond;
  for (int k = 0; k < kRelaxations; ++k)
    fit.tau[k] = 1 / (kTwoPi * first * std::pow(last / first, (kRelaxations - 1.0 - k) / (kRelaxations - 1)));
  std::array<std::array<double, kRelaxations>, kRelaxations> matrix{};
  std::array<double, kRelaxations> right{};
  for (int at = 0; at < kFrequencies; ++at) {
    const double frequency = low * std::pow(high / low, at / (kFrequencies - 1.0));
    for (int k = 0; k < kRelaxations; ++k) {
      right[k] += peak(frequency, fit.tau[k]);
      for (int j = 0; j < kRelaxations; ++j)
        matrix[k][j] += peak(frequency, fit.tau[k]) * peak(frequency, fit.tau[j]);
    }
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (int k = 0; k < kRelaxations; ++k) {
      double rest = right[k];
      for (int j = 0; j < kRelaxations; ++j)
        if (j != k) rest -= matrix[k][j] * fit.weight[j];
      fit.weight[k] = std::max(0.0, rest / (matrix[k][k] + kEvenness));
    }
  return fit;
}

template <typename Real>
Relaxation<Real>::Relaxation(const Attenuation& attenuation, double time_step, const Box& box)
    : first_y_(box[1].first), first_z_(box[2].first) {
  for (int which = 0; which < 4; ++which)
    for (int x = 0; x < box[0].count; ++x) {
      const int k = relaxation_of(box[0].first + x, which & 1, which >> 1);
      const double twice = 2 * attenuation.tau[k];
      rows_[which].decay.push_back(static_cast<Real>((twice - time_step) / (twice + time_step)));
      rows_[which].gain.push_back(
          static_cast<Real>(kRelaxations * attenuation.weight[k] * 2 * time_step / (twice + time_step)));
    }
}

template class Relaxation<float>;
template class Relaxation<double>;

}  // namespace wave
