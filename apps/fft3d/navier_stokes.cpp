// SPDX-License-Identifier: BSD-3-Clause
#include "navier_stokes.hpp"

#include <cmath>
#include <numbers>

namespace fft3d {
namespace {

template <typename T>
std::array<Array<T>, 3> three(std::size_t size) {
  return {Array<T>(size), Array<T>(size), Array<T>(size)};
}

template <typename Real>
double norm_of(const std::array<Array<std::complex<Real>>, 3>& vectors, std::size_t i) {
  return std::norm(std::complex<double>(vectors[0][i])) + std::norm(std::complex<double>(vectors[1][i])) +
         std::norm(std::complex<double>(vectors[2][i]));
}

double sum_over(double value, MPI_Comm communicator) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, communicator);
  return value;
}

}  // namespace

template <typename Real>
NavierStokes<Real>::NavierStokes(Transform<Real>& transform, const Grid& grid, MPI_Comm communicator,
                                 double viscosity, double time_step)
    : transform_(transform),
      grid_(grid),
      communicator_(communicator),
      waves_(grid, transform.spectrum()),
      viscosity_(viscosity),
      time_step_(time_step),
      velocity_(three<Complex>(transform.spectrum_size())),
      stage_(three<Complex>(transform.spectrum_size())),
      sum_(three<Complex>(transform.spectrum_size())),
      slope_(three<Complex>(transform.spectrum_size())),
      velocity_on_grid_(three<Real>(transform.field_size())),
      vorticity_on_grid_(three<Real>(transform.field_size())) {
  for (int axis = 0; axis < 3; ++axis) {
    const int n = grid.points[axis];
    for (int i = 0; i < n; ++i) {
      const double k = 2 * i <= n ? i : i - n;
      decay_[axis].push_back(std::exp(-viscosity * k * k * time_step / 2));
    }
  }
}

template <typename Real>
void NavierStokes<Real>::start_taylor_green(double amplitude) {
  const auto angle = [&](int axis, int i) { return 2 * std::numbers::pi * i / grid_.points[axis]; };
  for_each_point(transform_.field(), [&](int i, int j, int k, std::size_t index) {
    const double x = angle(0, i), y = angle(1, j), z = angle(2, k);
    velocity_on_grid_[0][index] = static_cast<Real>(amplitude * std::sin(x) * std::cos(y) * std::cos(z));
    velocity_on_grid_[1][index] = static_cast<Real>(-amplitude * std::cos(x) * std::sin(y) * std::cos(z));
    velocity_on_grid_[2][index] = 0;
  });
  const std::array<const Real*, 3> fields{velocity_on_grid_[0].data(), velocity_on_grid_[1].data(),
                                          velocity_on_grid_[2].data()};
  const std::array<Complex*, 3> spectra{slope_[0].data(), slope_[1].data(), slope_[2].data()};
  transform_.forward(fields, spectra);
  project_slope();
  std::swap(velocity_, slope_);
  dissipated_ = 0;
}

/// slope_ = i k x u
template <typename Real>
void NavierStokes<Real>::curl(const Spectra& velocity) {
  waves_.for_each([&](const std::array<double, 3>& k, std::size_t i) {
    for (int axis = 0; axis < 3; ++axis) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      const Complex turned =
          static_cast<Real>(k[next]) * velocity[last][i] - static_cast<Real>(k[last]) * velocity[next][i];
      slope_[axis][i] = {-turned.imag(), turned.real()};
    }
  });
}

/// Divides by the number of points, keeps two thirds, takes the divergence out.
template <typename Real>
void NavierStokes<Real>::project_slope() {
  const auto scale = static_cast<Real>(1 / grid_.size());
  waves_.for_each([&](const std::array<double, 3>& k, std::size_t i) {
    if (!waves_.is_kept(k)) {
      for (auto& component : slope_) component[i] = 0;
      return;
    }
    const double square = squared(k);
    Complex along = 0;
    for (int axis = 0; axis < 3; ++axis) along += static_cast<Real>(k[axis]) * slope_[axis][i];
    along *= static_cast<Real>(square > 0 ? 1 / square : 0);
    for (int axis = 0; axis < 3; ++axis)
      slope_[axis][i] = scale * (slope_[axis][i] - static_cast<Real>(k[axis]) * along);
  });
}

template <typename Real>
void NavierStokes<Real>::nonlinear_term(const Spectra& velocity) {
  curl(velocity);
  auto& u = velocity_on_grid_;
  auto& w = vorticity_on_grid_;
  const std::array<const Complex*, 6> spectra{velocity[0].data(), velocity[1].data(), velocity[2].data(),
                                              slope_[0].data(),   slope_[1].data(),   slope_[2].data()};
  const std::array<Real*, 6> fields{u[0].data(), u[1].data(), u[2].data(),
                                    w[0].data(), w[1].data(), w[2].data()};
  transform_.backward(spectra, fields);
  for (std::size_t i = 0; i < u[0].size(); ++i) {
    const std::array<Real, 3> product{u[1][i] * w[2][i] - u[2][i] * w[1][i],
                                      u[2][i] * w[0][i] - u[0][i] * w[2][i],
                                      u[0][i] * w[1][i] - u[1][i] * w[0][i]};
    for (int axis = 0; axis < 3; ++axis) u[axis][i] = product[axis];
  }
  const std::array<const Real*, 3> products{u[0].data(), u[1].data(), u[2].data()};
  const std::array<Complex*, 3> slopes{slope_[0].data(), slope_[1].data(), slope_[2].data()};
  transform_.forward(products, slopes);
  project_slope();
}

template <typename Real>
template <typename Act>
void NavierStokes<Real>::for_each_with_decay(const Act& act) const {
  for_each_point(waves_.block(), [&](int x, int y, int z, std::size_t i) {
    act(static_cast<Real>(decay_[0][x] * decay_[1][y] * decay_[2][z]), i);
  });
}

// With e the decay of half a step and N the nonlinear term: the classical four slopes for exp(nu k^2 t) u.
template <typename Real>
void NavierStokes<Real>::step() {
  const auto dt = static_cast<Real>(time_step_);
  double dissipation = enstrophy_of(velocity_);
  nonlinear_term(velocity_);
  for_each_with_decay([&](Real e, std::size_t i) {
    for (int axis = 0; axis < 3; ++axis) {
      const Complex u = velocity_[axis][i], slope = slope_[axis][i];
      sum_[axis][i] = e * e * (u + dt / 6 * slope);
      stage_[axis][i] = e * (u + dt / 2 * slope);
    }
  });
  dissipation += 2 * enstrophy_of(stage_);
  nonlinear_term(stage_);
  for_each_with_decay([&](Real e, std::size_t i) {
    for (int axis = 0; axis < 3; ++axis) {
      sum_[axis][i] += dt / 3 * e * slope_[axis][i];
      stage_[axis][i] = e * velocity_[axis][i] + dt / 2 * slope_[axis][i];
    }
  });
  dissipation += 2 * enstrophy_of(stage_);
  nonlinear_term(stage_);
  for_each_with_decay([&](Real e, std::size_t i) {
    for (int axis = 0; axis < 3; ++axis) {
      sum_[axis][i] += dt / 3 * e * slope_[axis][i];
      stage_[axis][i] = e * (e * velocity_[axis][i] + dt * slope_[axis][i]);
    }
  });
  dissipation += enstrophy_of(stage_);
  nonlinear_term(stage_);
  for_each_with_decay([&](Real, std::size_t i) {
    for (int axis = 0; axis < 3; ++axis) velocity_[axis][i] = sum_[axis][i] + dt / 6 * slope_[axis][i];
  });
  dissipated_ += 2 * viscosity_ * time_step_ / 6 * dissipation;
}

template <typename Real>
double NavierStokes<Real>::enstrophy_of(const Spectra& velocity) const {
  double sum = 0;
  waves_.for_each([&](const std::array<double, 3>& k, std::size_t i) {
    sum += waves_.weight(k) * squared(k) * norm_of(velocity, i) / 2;
  });
  return sum_over(sum, communicator_);
}

template <typename Real>
FlowSums NavierStokes<Real>::sums() const {
  double energy = 0, divergence = 0;
  waves_.for_each([&](const std::array<double, 3>& k, std::size_t i) {
    std::complex<double> along = 0;
    for (int axis = 0; axis < 3; ++axis) along += k[axis] * std::complex<double>(velocity_[axis][i]);
    energy += waves_.weight(k) * norm_of(velocity_, i) / 2;
    divergence += waves_.weight(k) * std::norm(along);
  });
  const double enstrophy = enstrophy_of(velocity_);
  divergence = sum_over(divergence, communicator_);
  return {sum_over(energy, communicator_), enstrophy,
          std::sqrt(divergence / (enstrophy > 0 ? 2 * enstrophy : 1))};
}

template <typename Real>
double NavierStokes<Real>::transfer() {
  nonlinear_term(velocity_);
  double work = 0;
  waves_.for_each([&](const std::array<double, 3>& k, std::size_t i) {
    for (int axis = 0; axis < 3; ++axis)
      work += waves_.weight(k) *
              (std::conj(std::complex<double>(velocity_[axis][i])) * std::complex<double>(slope_[axis][i]))
                  .real();
  });
  work = sum_over(work, communicator_);
  const FlowSums all = sums();
  const double scale = 2 * all.energy * std::sqrt(2 * all.enstrophy);
  return std::abs(work) / (scale > 0 ? scale : 1);
}

template <typename Real>
std::vector<double> NavierStokes<Real>::vorticity_magnitude(int plane) {
  curl(velocity_);
  auto& w = vorticity_on_grid_;
  const std::array<const Complex*, 3> spectra{slope_[0].data(), slope_[1].data(), slope_[2].data()};
  const std::array<Real*, 3> fields{w[0].data(), w[1].data(), w[2].data()};
  transform_.backward(spectra, fields);
  const auto [nx, ny, nz] = grid_.points;
  std::vector<double> mine(std::size_t{1} * nx * ny);
  std::vector<double> whole(mine.size());
  for_each_point(transform_.field(), [&](int x, int y, int z, std::size_t i) {
    if (z == plane)
      mine[std::size_t{1} * y * nx + x] = std::hypot(1.0 * w[0][i], 1.0 * w[1][i], 1.0 * w[2][i]);
  });
  // Every number comes from one rank, the others have zeros.
  MPI_Reduce(mine.data(), whole.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, 0, communicator_);
  return whole;
}

template class NavierStokes<double>;
template class NavierStokes<float>;

}  // namespace fft3d
