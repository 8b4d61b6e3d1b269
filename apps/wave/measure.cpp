// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>

#include "checkpoint.hpp"
#include "fingerprint.hpp"
#include "progress_bar.hpp"
#include "snapshots.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

bool is_due(int steps, int every) { return every > 0 && steps % every == 0; }

/// What one repetition needs beside the simulation.
struct Setting {
  const Problem& problem;
  const Options& options;
  std::string description;
  MPI_Comm communicator;
};

template <typename Real>
void begin(const Setting& setting, Simulation<Real>& simulation) {
  const auto& [problem, options, description, communicator] = setting;
  if (options.check == Check::kStanding) set_standing_wave(problem, options.material, simulation);
  if (options.restart_file.empty()) return;
  read_checkpoint(options.restart_file, description, simulation, communicator);
  app::together(communicator, [&] {
    if (simulation.steps_done() > problem.steps)
      throw app::BadInput("--restart " + options.restart_file + ": has " +
                          std::to_string(simulation.steps_done()) + " steps already, more than the " +
                          std::to_string(problem.steps) + " asked for; use more --steps");
  });
}

/// All steps; only computing and exchanging counts, and recording, but not files.
template <typename Real>
void run_steps(const Setting& setting, Simulation<Real>& simulation, Solution& run, Times& times,
               app::ProgressBar& bar) {
  const auto& [problem, options, description, communicator] = setting;
  MPI_Barrier(communicator);
  while (simulation.steps_done() < problem.steps) {
    {
      const Timed timed(times[Part::kWhole]);
      simulation.step(times);
    }
    const int done = simulation.steps_done();
    if (is_due(done, options.snapshot.every))
      run.snapshots_written = write_snapshot(options.snapshot, done, problem.spacing, simulation.state(),
                                             simulation.box(), simulation.layout(), communicator) &&
                              run.snapshots_written;
    if (!options.checkpoint_file.empty() && is_due(done, options.checkpoint_every) && done < problem.steps)
      write_checkpoint(options.checkpoint_file, description, simulation, communicator);
    ++run.steps;
    bar.advance();
  }
  {
    const Timed timed(times[Part::kWhole]);
    simulation.receivers().collect();
  }
  simulation.settle();
}

template <typename Real>
Solution run_once(const Setting& setting, const Medium& medium, const ProcessGrid& grid,
                  app::ProgressBar& bar) {
  const auto& [problem, options, description, communicator] = setting;
  Simulation<Real> simulation(problem, medium, options.exchange, grid.box(), communicator);
  begin(setting, simulation);
  Solution run;
  Times times;
  run_steps(setting, simulation, run, times, bar);
  if (!options.checkpoint_file.empty())
    write_checkpoint(options.checkpoint_file, description, simulation, communicator);
  run.mean = mean_of(times, communicator);
  run.maximum = maximum_of(times, communicator);
  run.seconds = run.maximum[Part::kWhole];
  run.seismograms = std::move(simulation.receivers().seismograms());
  run.fingerprint =
      fingerprint_of(simulation.state(), run.seismograms, grid.box(), simulation.layout(), communicator);
  if (options.check == Check::kStanding)
    run.standing_error = compare_with_standing_wave(problem, options.material, simulation, communicator);
  return run;
}

}  // namespace

template <typename Real>
Solution solve(const Problem& problem, const Options& options, const Medium& medium,
               const ProcessGrid& grid) {
  const MPI_Comm communicator = grid.communicator();
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const Setting setting{problem, options,
                        description(problem, options, fingerprint_of(medium, grid.box(), communicator)),
                        communicator};
  std::vector<Solution> runs;
  std::vector<double> seconds;
  {
    app::ProgressBar bar("stepping", std::int64_t{problem.steps} * options.repeat_count, rank == 0);
    for (int repetition = 0; repetition < options.repeat_count; ++repetition) {
      runs.push_back(run_once<Real>(setting, medium, grid, bar));
      seconds.push_back(runs.back().seconds);
    }
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const Solution& a, const Solution& b) { return a.seconds < b.seconds; });
  middle->seconds_all = seconds;
  if (options.check == Check::kFullSpace && rank == 0)
    middle->receiver_errors = compare_with_full_space(problem, options.material, middle->seismograms);
  return *middle;
}

template Solution solve<float>(const Problem&, const Options&, const Medium&, const ProcessGrid&);
template Solution solve<double>(const Problem&, const Options&, const Medium&, const ProcessGrid&);

}  // namespace wave
