// SPDX-License-Identifier: BSD-3-Clause
#include "standing.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "interpolation.hpp"

namespace wave {
namespace {

class StandingWave {
 public:
  StandingWave(const Problem& problem, const Material& material) : spacing_(problem.spacing) {
    static constexpr Triple kHalfWaves{2, 1, 1};
    double square = 0;
    for (int d = 0; d < 3; ++d) {
      k_[d] = kHalfWaves[d] * std::numbers::pi / (problem.points[d] * spacing_);
      square += k_[d] * k_[d];
    }
    omega_ = material.vp * std::sqrt(square);
    mu_ = material.density * material.vs * material.vs;
    lambda_ = material.density * material.vp * material.vp - 2 * mu_;
    square_ = square;
    // In which velocities and stresses of the wave are about as large: sqrt(density), 1 / sqrt(modulus).
    scale_v_ = std::sqrt(material.density);
    scale_s_ = 1 / std::sqrt(lambda_ + 2 * mu_);
  }

  double value(Component component, const Triple& point, double time) const {
    const Position place = place_of(point, component, spacing_);
    std::array<double, 3> cosine{}, sine{};
    for (int d = 0; d < 3; ++d) {
      cosine[d] = std::cos(k_[d] * (place[d] + spacing_ / 2));
      sine[d] = std::sin(k_[d] * (place[d] + spacing_ / 2));
    }
    const double phi = cosine[0] * cosine[1] * cosine[2];
    if (component < kFirstStress) {
      const int d = component;
      const double gradient = -k_[d] * sine[d] * cosine[(d + 1) % 3] * cosine[(d + 2) % 3];
      return -omega_ * gradient * std::sin(omega_ * time);
    }
    const double turned = std::cos(omega_ * time);
    if (component <= kZz) {
      const int d = component - kXx;
      return (-lambda_ * square_ - 2 * mu_ * k_[d] * k_[d]) * phi * turned;
    }
    const int a = component == kYz ? 1 : 0;
    const int b = component == kXy ? 1 : 2;
    return 2 * mu_ * k_[a] * k_[b] * sine[a] * sine[b] * cosine[3 - a - b] * turned;
  }

  double scale(Component component) const { return component < kFirstStress ? scale_v_ : scale_s_; }

  double allowed(const Problem& problem, int steps, double epsilon) const {
    double sixth = 0;
    for (const double k : k_) sixth += std::pow(k, 6);
    const double turned = omega_ * problem.time_step;
    const double off = 3.0 / 640 * std::pow(spacing_, 4) * sixth / square_ + turned * turned / 24;
    return 2 * omega_ * steps * problem.time_step * off + 4 * (10 + std::sqrt(steps)) * epsilon;
  }

 private:
  double spacing_, omega_ = 0, mu_ = 0, lambda_ = 0, square_ = 0, scale_v_ = 0, scale_s_ = 0;
  std::array<double, 3> k_{};
};

/// work(component, place in memory, point of the whole grid)
template <typename Work>
void each_value(const Box& box, const Layout& layout, const Work& work) {
  for (int c = 0; c < kComponentCount; ++c)
    for (int z = 0; z < box[2].count; ++z)
      for (int y = 0; y < box[1].count; ++y)
        for (int x = 0; x < box[0].count; ++x)
          work(static_cast<Component>(c), layout.at(x, y, z),
               Triple{box[0].first + x, box[1].first + y, box[2].first + z});
}

double time_of(Component component, int steps, double time_step) {
  return (steps - (component < kFirstStress ? 0.5 : 0)) * time_step;
}

}  // namespace

template <typename Real>
void set_standing_wave(const Problem& problem, const Material& material, Simulation<Real>& simulation) {
  const StandingWave wave(problem, material);
  each_value(simulation.box(), simulation.layout(),
             [&](Component component, std::ptrdiff_t at, const Triple& point) {
               simulation.state().fields[component][at] =
                   static_cast<Real>(wave.value(component, point, time_of(component, 0, problem.time_step)));
             });
  simulation.exchange_all();
}

template <typename Real>
StandingError compare_with_standing_wave(const Problem& problem, const Material& material,
                                         Simulation<Real>& simulation, MPI_Comm communicator) {
  const StandingWave wave(problem, material);
  const int steps = simulation.steps_done();
  std::array<double, 2> sums{};
  each_value(simulation.box(), simulation.layout(),
             [&](Component component, std::ptrdiff_t at, const Triple& point) {
               const double scale = wave.scale(component);
               const double exact =
                   scale * wave.value(component, point, time_of(component, steps, problem.time_step));
               const double found = scale * static_cast<double>(simulation.state().fields[component][at]);
               sums[0] += (found - exact) * (found - exact);
               sums[1] += exact * exact;
             });
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, communicator);
  return {std::sqrt(sums[0] / sums[1]),
          wave.allowed(problem, steps, static_cast<double>(std::numeric_limits<Real>::epsilon()))};
}

template void set_standing_wave(const Problem&, const Material&, Simulation<float>&);
template void set_standing_wave(const Problem&, const Material&, Simulation<double>&);
template StandingError compare_with_standing_wave(const Problem&, const Material&, Simulation<float>&,
                                                  MPI_Comm);
template StandingError compare_with_standing_wave(const Problem&, const Material&, Simulation<double>&,
                                                  MPI_Comm);

}  // namespace wave
