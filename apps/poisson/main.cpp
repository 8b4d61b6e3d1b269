// SPDX-License-Identifier: BSD-3-Clause
// poisson: conjugate gradients for the Poisson equation, with the halo exchange behind the inner points.
//
// A plain MPI program: options, problem, solves, report. Rank 0 speaks; all ranks end with the same code.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <mpi.h>

#include "bandwidth.hpp"
#include "checkpoint.hpp"
#include "laplacian_1d.hpp"
#include "laplacian_3d.hpp"
#include "measure.hpp"
#include "memory_needed.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "report.hpp"
#include "verdict.hpp"

namespace {

void open_json_file(app::OutputFile& file, const std::string& name, int rank) {
  app::together(MPI_COMM_WORLD, [&] {
    if (rank == 0 && !name.empty() && name != "-") file.open("--json", name);
  });
}

/// False if the JSON file could not be written to its end.
bool print(const poisson::Report& report, app::OutputFile& json_file) {
  const std::string json = poisson::as_json(report);
  fmt::print("{}", report.options.json_file == "-" ? json : poisson::as_text(report));
  for (const std::string& line : poisson::complaints(report)) fmt::print(stderr, "poisson: {}\n", line);
  std::fflush(stdout);
  if (!json_file.is_open() || json_file.finish(json)) return true;
  fmt::print(stderr, "poisson: --json {}: could not be written; is the disk full?\n",
             report.options.json_file);
  return false;
}

std::unique_ptr<poisson::Operator> make_matrix(const poisson::ProcessGrid& grid, bool one_dimensional,
                                               poisson::Exchange exchange) {
  if (one_dimensional) return std::make_unique<poisson::Laplacian1d>(grid, exchange);
  return std::make_unique<poisson::Laplacian3d>(grid, exchange);
}

/// Before the solve, so that a wrong name costs no time.
void require_folder_of(const std::string& checkpoint) {
  const std::filesystem::path folder = std::filesystem::absolute(checkpoint).parent_path();
  if (std::filesystem::is_directory(folder) && !std::filesystem::is_directory(checkpoint)) return;
  throw app::BadInput(
      fmt::format("--checkpoint {}: cannot be written; check the name and the folder", checkpoint));
}

/// Fills in what the report does not know yet.
void solve(poisson::Report& report) {
  const poisson::Options& options = report.options;
  const bool one_dimensional = options.one_dimensional;
  std::array<int, 3> points = options.grid;
  app::together(MPI_COMM_WORLD, [&] {
    if (one_dimensional) points = poisson::line_of(options.points_per_rank, report.rank_count);
    const std::array<int, 3> line{report.rank_count, 1, 1};
    const auto wanted = one_dimensional ? line : options.process_grid;
    if (!options.checkpoint_file.empty()) require_folder_of(options.checkpoint_file);
    report.process_grid = poisson::choose_process_grid(wanted, points, report.rank_count);
  });
  report.points = 1.0 * points[0] * points[1] * points[2];
  const poisson::ProcessGrid grid(points, report.process_grid, MPI_COMM_WORLD);
  const MPI_Comm communicator = grid.communicator();
  const poisson::Box& box = grid.box();
  poisson::require_memory(1.0 * box[0].count * box[1].count * box[2].count, poisson::vector_count(options),
                          communicator);
  poisson::Problem problem;
  app::together(communicator, [&] {
    problem = one_dimensional ? poisson::make_problem_1d(box[0]) : poisson::make_problem_3d(box);
  });
  if (!options.restart_file.empty())
    problem.start = poisson::read_checkpoint(options.restart_file, box, communicator);
  const auto matrix = make_matrix(grid, one_dimensional, options.exchange);
  const auto checking = make_matrix(grid, one_dimensional, poisson::Exchange::kBlocking);
  poisson::Vector answer;
  report.solution = poisson::solve_and_check(*matrix, *checking, problem, options, communicator, answer);
  if (!options.checkpoint_file.empty())
    poisson::write_checkpoint(options.checkpoint_file, box, answer, communicator);
  if (options.bandwidth) report.triad_bytes_per_second = app::measure_triad(communicator);
}

int run(int argument_count, char** arguments, int rank) {
  poisson::Report report;
  app::together(MPI_COMM_WORLD, [&] { report.options = poisson::parse_options(argument_count, arguments); });
  if (report.options.help) {
    if (rank == 0) fmt::print("{}", poisson::help_text());
    return app::kRight;
  }
  app::OutputFile json_file;
  open_json_file(json_file, report.options.json_file, rank);
  MPI_Comm_size(MPI_COMM_WORLD, &report.rank_count);
  solve(report);
  if (rank == 0 && !print(report, json_file)) return app::kWrong;
  return poisson::complaints(report).empty() ? app::kRight : app::kWrong;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return app::run_program("poisson", argument_count, arguments, run);
}
