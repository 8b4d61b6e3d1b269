// SPDX-License-Identifier: BSD-3-Clause
#include "vortex.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "measure.hpp"
#include "navier_stokes.hpp"
#include "progress_bar.hpp"
#include "transforms.hpp"
#include "verdict.hpp"

namespace fft3d {
namespace {

constexpr int kHistoryLines = 20;
constexpr double kMostStep = 0.1;
/// Up to this (amplitude x time) the nonlinear term changes the energy by less than rounding.
constexpr double kTiny = 1e-6;

double time_step(const Options& options) {
  if (options.taylor_green.time_step > 0) return options.taylor_green.time_step;
  const auto [nx, ny, nz] = options.grid.points;
  const double spacing = 2 * std::numbers::pi / std::max({nx, ny, nz});
  return std::min(kMostStep, spacing / 4 / options.taylor_green.amplitude);
}

/// A comparison of numbers that are none says no.
double finite_or_infinite(double error) { return std::isnan(error) ? HUGE_VAL : error; }

template <typename Real>
VortexOutcome outcome(NavierStokes<Real>& flow, const Options& options, double dt,
                      std::vector<Moment> history) {
  const TaylorGreenOptions& vortex = options.taylor_green;
  VortexOutcome result;
  result.time_step = dt;
  result.history = std::move(history);
  const double start = result.history.front().energy;
  const Moment& end = result.history.back();
  const double gone = start - end.energy;
  // Single precision: a step's rounding may be as large as what it dissipates.
  const double rounding = (options.is_single ? 1e-6 : 1e-14) * start;
  result.balance =
      finite_or_infinite(std::max(0.0, std::abs(gone - flow.dissipated()) - rounding) / flow.dissipated());
  result.divergence = finite_or_infinite(flow.sums().divergence);
  result.transfer = finite_or_infinite(flow.transfer());
  if (vortex.amplitude * end.time <= kTiny)
    result.decay =
        finite_or_infinite(std::abs(end.energy / start - std::exp(-6 * vortex.viscosity * end.time)));
  return result;
}

template <typename Real>
void measure(const Decomposition& decomposition, Report& report) {
  const Options& options = report.options;
  const TaylorGreenOptions& vortex = options.taylor_green;
  const MPI_Comm communicator = decomposition.communicator();
  const auto transform = make_transform<Real>(decomposition, report);
  const double dt = time_step(options);
  std::unique_ptr<NavierStokes<Real>> flow;
  app::together(communicator, [&] {
    flow = std::make_unique<NavierStokes<Real>>(*transform, options.grid, communicator, vortex.viscosity, dt);
  });
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  app::ProgressBar progress("Taylor-Green", 1LL * options.repeat_count * vortex.steps, rank == 0);

  const int stride = (vortex.steps + kHistoryLines - 1) / kHistoryLines;
  std::vector<Moment> history;
  for (int repetition = 0; repetition < options.repeat_count; ++repetition) {
    history.clear();
    double seconds = 0;
    flow->start_taylor_green(vortex.amplitude);
    transform->times = {};
    const auto note = [&](int step) {
      const FlowSums sums = flow->sums();
      history.push_back({step * dt, sums.energy, sums.enstrophy});
    };
    note(0);
    for (int step = 1; step <= vortex.steps; ++step) {
      if (step == 1 || step % stride == 1 || stride == 1) MPI_Barrier(communicator);
      {
        const Timed timed(seconds);
        flow->step();
      }
      progress.advance();
      if (step % stride == 0 || step == vortex.steps) note(step);
    }
    report.runs.push_back({slowest(seconds, communicator), 0, 0, mean_of(transform->times, communicator)});
  }
  if (options.form.exchanges != Exchanges::kSkipped)
    report.vortex = outcome(*flow, options, dt, std::move(history));
  if (!vortex.slice_file.empty()) report.slice = flow->vorticity_magnitude(options.grid.points[2] / 8);
}

}  // namespace

void measure_vortex(const Decomposition& decomposition, Report& report) {
  if (report.options.is_single) measure<float>(decomposition, report);
  else measure<double>(decomposition, report);
}

}  // namespace fft3d
