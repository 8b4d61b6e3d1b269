// SPDX-License-Identifier: BSD-3-Clause
// Simulation: the wave field of one rank's box, and how it gets from one time step to the next.
//
// A step is the three velocities, then the stresses. Each group in turn:
//
//   wait for the faces of the groups that it is computed from, as far as that has not been done yet
//   compute the points that neighbours need, and send them
//   compute all others, while the faces are on their way
//
// so that a transfer has behind it the group's own inner points, and those groups that do not need it. The
// blocking exchange goes the same way, with nothing to hide it behind. No point's value depends on when it is
// computed.
//
// What has been sent last is still on its way when step() returns: settle() waits for it.
#pragma once

#include <memory>
#include <mpi.h>

#include "absorbing.hpp"
#include "edges.hpp"
#include "exchange.hpp"
#include "problem.hpp"
#include "receivers.hpp"
#include "timers.hpp"

namespace wave {

template <typename Real>
class Simulation {
 public:
  /// Everything at rest. Collective.
  Simulation(const Problem& problem, const Medium& medium, ExchangeKind exchange, const Box& box,
             MPI_Comm cartesian);
  ~Simulation() { settle(); }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  void step(Times& times);
  /// Ghosts of all groups are there, and nothing is on its way. Collective.
  void settle();
  /// Makes the ghosts of everything, after values have been set from outside. Collective.
  void exchange_all();

  int steps_done() const { return steps_done_; }
  void set_steps_done(int steps) { steps_done_ = steps; }
  const Box& box() const { return box_; }
  const Layout& layout() const { return layout_; }
  State<Real>& state() { return state_; }
  Absorbing<Real>& absorbing() { return absorbing_; }
  Receivers<Real>& receivers() { return receivers_; }

 private:
  void advance(int group, Times& times);
  void compute(int group, const Region& region, Times& times);
  void send(int group, Times& times);
  void receive(int group, Times& times);
  void divide(int group);

  Box box_;
  Layout layout_;
  State<Real> state_;
  Coefficients<Real> coefficients_;
  Absorbing<Real> absorbing_;
  Edges edges_;
  Sources<Real> sources_;
  Receivers<Real> receivers_;
  std::unique_ptr<Exchange> exchange_;
  // By group: what neighbours need, and the rest.
  std::array<std::vector<Region>, kGroupCount> boundary_;
  std::array<Region, kGroupCount> inner_;
  std::array<bool, kGroupCount> under_way_{};
  int steps_done_ = 0;
};

/// Numbers smaller than the format's normal ones count as zero from here on: ahead of a wave there are many,
/// and some processors take a hundred times as long for each.
void flush_denormals();

}  // namespace wave
