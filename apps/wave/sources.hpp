// SPDX-License-Identifier: BSD-3-Clause
// Sources: points that push (a force) or at which something breaks (a moment tensor).
//
// A moment tensor M s(t) takes M_ij s(t) dt / h^3 from each stress component, which is what the stress glut
// of its equivalent forces is on the grid; a force F s(t) adds dt / (density h^3) F_i s(t) to each velocity.
// Both are spread over the points of the component around the source. s has the largest value 1: M is then
// the largest moment rate, in N m / s; for a gaussian s is divided by its area, and M is the moment, in N m.
#pragma once

#include <array>
#include <vector>

#include "coefficients.hpp"
#include "field.hpp"
#include "time_function.hpp"

namespace wave {

struct Source {
  Position position{};
  std::array<double, kStressCount> moment{};  ///< xx, yy, zz, xy, xz, yz
  std::array<double, 3> force{};              ///< N
  TimeFunction function{};

  bool has_moment() const { return moment != std::array<double, kStressCount>{}; }
  bool has_force() const { return force != std::array<double, 3>{}; }
  /// What a component gets of it.
  double strength(Component component) const;
  /// By which s(t) is multiplied for moments.
  double moment_scale() const;
};

/// The sources that touch points of one box.
template <typename Real>
class Sources {
 public:
  Sources(const std::vector<Source>& sources, double spacing, double time_step, const Box& box,
          const Layout& layout, const Coefficients<Real>& coefficients);

  /// Adds what the components of a group get in a time step, which begins after `step` others.
  void add(int group, int step, State<Real>& state) const;

 private:
  struct Place {
    std::ptrdiff_t at;
    std::size_t source;
    double factor;  // of s(t)
  };
  std::vector<TimeFunction> functions_;
  double time_step_;
  std::array<std::vector<Place>, kComponentCount> places_;
};

}  // namespace wave
