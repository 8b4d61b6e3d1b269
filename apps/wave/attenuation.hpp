// SPDX-License-Identifier: BSD-3-Clause
// Attenuation: a quality factor Q that hardly depends on the frequency within a band.
//
// A standard linear solid answers a strain e with the stress M (e - c r), tau dr/dt + r = e: part of the
// stress relaxes within tau, and waves of about the frequency 1 / (2 pi tau) lose energy. Eight of them, tau
// spread over the band, have together
//
//   1/Q (w)  ~  1/Q sum_k weight_k  w tau_k / (1 + (w tau_k)^2)
//
// in which the weights, none negative, are fitted so that the sum is about 1 all over the band. To keep eight
// memory variables at each point would cost more than the wave field. Instead each point has one, of another
// tau than its neighbours, with eight times the weight: waves are long, and feel the mean (Day, "Efficient
// simulation of constant Q using coarse-grained memory variables", BSSA 88, 1998; Day and Bradley, BSSA 91,
// 2001). That is accurate where Q is above 20 or so (Graves and Day, BSSA 93, 2003).
//
// Moduli relax, so that velocities depend on the frequency: those of the medium are for the reference
// frequency, and the unrelaxed moduli, which the program computes with, are larger.
#pragma once

#include <array>
#include <vector>

#include "grid.hpp"

namespace wave {

inline constexpr int kRelaxations = 8;

struct Attenuation {
  double low = 0, high = 0;  ///< the band, Hz
  double reference = 0;      ///< Hz
  std::array<double, kRelaxations> tau{}, weight{};

  /// sum_k weight_k w tau_k / (1 + (w tau_k)^2), which should be 1.
  double flatness(double frequency) const;
  /// Unrelaxed modulus / (density velocity^2), so that the real part at the reference frequency is what the
  /// velocity says.
  double stiffening(double quality) const;
};

Attenuation fit_attenuation(double low, double high, double reference);

/// decay and gain along x, of points of one parity of y and of z.
template <typename Real>
struct RelaxationRow {
  std::vector<Real> decay, gain;
};

/// For all points of a box: rows by the parity of y and z in the whole grid.
template <typename Real>
class Relaxation {
 public:
  Relaxation() = default;
  Relaxation(const Attenuation& attenuation, double time_step, const Box& box);

  const RelaxationRow<Real>& row_at(int y, int z) const {
    return rows_[((first_y_ + y) & 1) + 2 * ((first_z_ + z) & 1)];
  }

 private:
  std::array<RelaxationRow<Real>, 4> rows_;
  int first_y_ = 0, first_z_ = 0;
};

}  // namespace wave
