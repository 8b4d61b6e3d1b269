// SPDX-License-Identifier: BSD-3-Clause
// Receivers: the velocity at given places, after each time step.
//
// The points around a receiver may belong to several ranks. Each keeps the values of its own for some steps,
// zeros for others'; their sum over the ranks, which adds nothing to a value, goes to rank 0, which
// interpolates in one order: so seismograms have the same bits on every process grid.
#pragma once

#include <array>
#include <mpi.h>
#include <string>
#include <vector>

#include "field.hpp"
#include "interpolation.hpp"

namespace wave {

/// By receiver and time: vx, vy, vz, in m/s, at (step + 1/2) dt. On rank 0; empty on others.
struct Seismograms {
  std::size_t receivers = 0, steps = 0;
  std::vector<double> values;  ///< [step][receiver][component]

  double at(std::size_t receiver, std::size_t step, int component) const {
    return values[(step * receivers + receiver) * 3 + component];
  }
};

template <typename Real>
class Receivers {
 public:
  Receivers(const std::vector<Position>& positions, double spacing, const Box& box, const Layout& layout,
            MPI_Comm communicator);

  /// The state after a step. Collective, every so many steps.
  void record(const State<Real>& state);
  /// Everything so far to rank 0. Collective.
  void collect();

  Seismograms& seismograms() { return seismograms_; }

 private:
  struct Place {
    std::ptrdiff_t at;  // -1: another rank's
    double weight;
  };
  struct Trace {
    Component component;
    std::size_t first, behind;  // of its places
  };
  static constexpr std::size_t kMostKept = std::size_t{1} << 18;  // values of points

  MPI_Comm communicator_;
  int rank_ = 0;
  std::vector<Trace> traces_;  // by receiver and component
  std::vector<Place> places_;
  std::vector<Real> kept_;
  std::size_t kept_steps_ = 0;
  Seismograms seismograms_;
};

/// As an array of NumPy's, of fields t, vx, vy, vz: one row per receiver.
std::string as_npy(const Seismograms& seismograms, double time_step);
/// One line per time; a column per receiver and component.
std::string as_csv(const Seismograms& seismograms, double time_step);

}  // namespace wave
