// SPDX-License-Identifier: BSD-3-Clause
// NavierStokes: an incompressible flow in a cube of side 2 pi without walls, by a pseudo-spectral method.
//
//   du/dt = P(u x w) - nu k^2 u,   w = curl u,   P: the part without divergence
//
// The velocity lives as its spectrum, divided by the number of points. For u x w, velocity and vorticity, six
// variables, go back to the grid, are multiplied there, and three come forth again; what the 2/3 rule leaves
// has no aliases, so that the term takes and gives no energy. The viscous term is exact, by the factor
// exp(-nu k^2 t); the rest goes by Runge-Kutta of order 4.
//
// Source: Canuto, Hussaini, Quarteroni and Zang, Spectral Methods in Fluid Dynamics (1988), chapters 3, 4
// and 7.
#pragma once

#include "plan.hpp"
#include "spectral.hpp"

namespace fft3d {

/// Means over the cube.
struct FlowSums {
  double energy = 0;      ///< |u|^2 / 2
  double enstrophy = 0;   ///< |w|^2 / 2
  double divergence = 0;  ///< |div u| / |grad u|, root mean squares
};

template <typename Real>
class NavierStokes {
 public:
  using Complex = std::complex<Real>;

  /// Throws std::bad_alloc on this rank where memory is too small; not collective. `transform` must outlive
  /// it.
  NavierStokes(Transform<Real>& transform, const Grid& grid, MPI_Comm communicator, double viscosity,
               double time_step);

  /// u = A sin x cos y cos z, v = -A cos x sin y cos z, w = 0. Collective, as all that follow.
  void start_taylor_green(double amplitude);
  void step();

  FlowSums sums() const;
  /// The energy that viscosity has taken since the start, integrated along with the steps.
  double dissipated() const { return dissipated_; }
  /// The work of the term u x w relative to |u|^2 |w|: nothing but rounding.
  double transfer();
  /// |w| on z plane `plane`, [y][x], whole on rank 0.
  std::vector<double> vorticity_magnitude(int plane);

 private:
  using Spectra = std::array<Array<Complex>, 3>;
  using Fields = std::array<Array<Real>, 3>;

  /// slope_ = P(u x w), cut to two thirds.
  void nonlinear_term(const Spectra& velocity);
  void curl(const Spectra& velocity);
  void project_slope();
  double enstrophy_of(const Spectra& velocity) const;
  /// For every coefficient and its factor exp(-nu k^2 dt / 2).
  template <typename Act>
  void for_each_with_decay(const Act& act) const;

  Transform<Real>& transform_;
  Grid grid_;
  MPI_Comm communicator_;
  Waves waves_;
  double viscosity_, time_step_;
  double dissipated_ = 0;
  std::array<std::vector<double>, 3> decay_;  ///< by axis and place: its product is the factor
  Spectra velocity_, stage_, sum_, slope_;
  Fields velocity_on_grid_, vorticity_on_grid_;
};

}  // namespace fft3d
