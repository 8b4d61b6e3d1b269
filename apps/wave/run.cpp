// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "bandwidth.hpp"
#include "memory_needed.hpp"
#include "process_grid.hpp"
#include "snapshots.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

/// Before the run, so that a wrong name costs no time.
void require_folder_of(const std::string& option, const std::string& name) {
  if (name.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(name).parent_path();
  if (std::filesystem::is_directory(folder) && !std::filesystem::is_directory(name)) return;
  throw app::BadInput(fmt::format("{} {}: cannot be written; check the name and the folder", option, name));
}

Medium make_medium(const Options& options, const Box& box, MPI_Comm communicator) {
  if (!options.medium_file.empty()) return {options.medium_file, box, options.elastic, communicator};
  std::vector<Layer> layers;
  app::together(communicator, [&] { layers = layers_of(options); });
  return {layers, options.spacing, box, options.elastic};
}

}  // namespace

void run(Report& report) {
  const Options& options = report.options;
  Triple points{};
  app::together(MPI_COMM_WORLD, [&] {
    report.process_grid =
        choose_process_grid(options.process_grid, report.rank_count,
                            [&](const Triple& processes) { return points_of(options, processes); });
    points = points_of(options, report.process_grid);
    require_thick_boxes(points, report.process_grid);
    require_folder_of("--checkpoint", options.checkpoint_file);
    require_folder_of("--seismograms", options.seismograms_file);
  });
  const ProcessGrid grid(points, report.process_grid, MPI_COMM_WORLD);
  const MPI_Comm communicator = grid.communicator();
  require_memory(options, grid.box(), communicator);
  const Medium medium = make_medium(options, grid.box(), communicator);
  const MediumRange range = medium.range(communicator);
  app::together(communicator, [&] {
    report.problem = make_problem(options, points, range);
    if (options.snapshot.every > 0 && report.rank == 0)
      prepare_snapshots(options.snapshot, options.spacing, points);
  });
  report.solution = options.precision == Precision::kSingle
                        ? solve<float>(report.problem, options, medium, grid)
                        : solve<double>(report.problem, options, medium, grid);
  if (options.bandwidth) report.triad_bytes_per_second = app::measure_triad(communicator);
}

}  // namespace wave
