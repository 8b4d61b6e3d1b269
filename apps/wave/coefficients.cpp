// SPDX-License-Identifier: BSD-3-Clause
#include "coefficients.hpp"

#include <cmath>
#include <vector>

namespace wave {
namespace {

/// Of one point.
struct Moduli {
  double density, mu, lambda;
  double lost_mu, lost_lambda;
};

Moduli moduli_of(const Material& material, const Attenuation* attenuation) {
  const auto& [vp, vs, density, qp, qs] = material;
  const double stiff = density * vp * vp;
  const double mu = density * vs * vs;
  const double lost_mu = mu / qs;
  const double lost_lambda = stiff / qp - 2 * lost_mu;
  if (attenuation == nullptr) return {density, mu, stiff - 2 * mu, lost_mu, lost_lambda};
  const double unrelaxed_mu = mu * attenuation->stiffening(qs);
  return {density, unrelaxed_mu, stiff * attenuation->stiffening(qp) - 2 * unrelaxed_mu, lost_mu,
          lost_lambda};
}

double harmonic_mean(std::initializer_list<double> values) {
  double sum = 0;
  for (const double value : values) {
    if (value == 0) return 0;
    sum += 1 / value;
  }
  return static_cast<double>(values.size()) / sum;
}

/// Two neighbouring planes of moduli, each with one point behind the box.
class Planes {
 public:
  Planes(const Medium& medium, const Attenuation* attenuation, const Layout& layout)
      : medium_(medium), attenuation_(attenuation), nx_(layout.count[0]), ny_(layout.count[1]) {
    advance_to(0);
  }

  /// Planes z and z + 1.
  void move_to(int z) {
    std::swap(lower_, upper_);
    advance_to(z + 1);
  }

  const Moduli& at(int x, int y, int z) const {
    return (z == 0 ? lower_ : upper_)[static_cast<std::size_t>(y) * (nx_ + 1) + x];
  }

 private:
  void advance_to(int z) {
    upper_.clear();
    Material last;
    Moduli moduli = moduli_of(last, attenuation_);
    for (int y = 0; y <= ny_; ++y)
      for (int x = 0; x <= nx_; ++x) {
        const Material material = medium_.at(x, y, z);
        if (!(material == last)) moduli = moduli_of(last = material, attenuation_);
        upper_.push_back(moduli);
      }
  }

  const Medium& medium_;
  const Attenuation* attenuation_;
  int nx_, ny_;
  std::vector<Moduli> lower_, upper_;
};

}  // namespace

template <typename Real>
Coefficients<Real>::Coefficients(const Medium& medium, const Attenuation* attenuation, double time_step,
                                 double spacing, const Box& box, const Layout& layout) {
  for (auto& field : buoyancy) field = Field<Real>(layout);
  for (auto& field : shear) field = Field<Real>(layout);
  lambda = Field<Real>(layout);
  two_mu = Field<Real>(layout);
  if (attenuation != nullptr) {
    lost_lambda = Field<Real>(layout);
    lost_two_mu = Field<Real>(layout);
    for (auto& field : lost_shear) field = Field<Real>(layout);
    relaxation = Relaxation<Real>(*attenuation, time_step, box);
  }
  const double scale = time_step / spacing;
  Planes planes(medium, attenuation, layout);
  for (int z = 0; z < layout.count[2]; ++z) {
    planes.move_to(z);
    for (int y = 0; y < layout.count[1]; ++y)
      for (int x = 0; x < layout.count[0]; ++x) {
        const std::ptrdiff_t at = layout.at(x, y, z);
        const Moduli& here = planes.at(x, y, 0);
        const std::array<const Moduli*, 3> next{&planes.at(x + 1, y, 0), &planes.at(x, y + 1, 0),
                                                &planes.at(x, y, 1)};
        const std::array<const Moduli*, 3> across{&planes.at(x + 1, y + 1, 0), &planes.at(x + 1, y, 1),
                                                  &planes.at(x, y + 1, 1)};
        for (int d = 0; d < 3; ++d)
          buoyancy[d][at] = static_cast<Real>(2 * scale / (here.density + next[d]->density));
        lambda[at] = static_cast<Real>(scale * here.lambda);
        two_mu[at] = static_cast<Real>(scale * 2 * here.mu);
        if (attenuation != nullptr) {
          lost_lambda[at] = static_cast<Real>(scale * here.lost_lambda);
          lost_two_mu[at] = static_cast<Real>(scale * 2 * here.lost_mu);
        }
        static constexpr std::array<std::array<int, 2>, 3> kDirections{{{0, 1}, {0, 2}, {1, 2}}};
        for (int which = 0; which < 3; ++which) {
          const auto [a, b] = kDirections[which];
          const double mean = harmonic_mean({here.mu, next[a]->mu, next[b]->mu, across[which]->mu});
          shear[which][at] = static_cast<Real>(scale * mean);
          if (attenuation == nullptr) continue;
          // Both averages alike, so that Q is the same on both sides where it does not change.
          const double lost =
              harmonic_mean({here.lost_mu, next[a]->lost_mu, next[b]->lost_mu, across[which]->lost_mu});
          lost_shear[which][at] = static_cast<Real>(scale * lost);
        }
      }
  }
}

template struct Coefficients<float>;
template struct Coefficients<double>;

}  // namespace wave
