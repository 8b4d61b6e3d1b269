// SPDX-License-Identifier: BSD-3-Clause
// pcg: preconditioned conjugate gradients on hypre's matrices, with six ways to wait for an inner product.
//
// A plain MPI program: options, problem, solves, report. Rank 0 speaks; all ranks end with the same code.
#include <HYPRE_utilities.h>
#include <cstdio>
#include <fmt/format.h>
#include <mpi.h>

#include "bandwidth.hpp"
#include "definiteness.hpp"
#include "laplacian.hpp"
#include "matrix_market.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "report.hpp"
#include "scatter_rows.hpp"
#include "verdict.hpp"

namespace {

struct HypreEnd {
  ~HypreEnd() { HYPRE_Finalize(); }
};

pcg::RowBlock make_problem(const pcg::Options& options, pcg::Report& report, int rank) {
  if (options.matrix_file.empty()) {
    pcg::RowBlock rows;
    app::together(MPI_COMM_WORLD, [&] {
      report.process_grid = pcg::choose_process_grid(options.process_grid, report.rank_count);
    });
    pcg::require_memory_for_laplacian(options.local_grid, MPI_COMM_WORLD);
    app::together(MPI_COMM_WORLD,
                  [&] { rows = pcg::make_laplacian(options.local_grid, report.process_grid, rank); });
    return rows;
  }
  pcg::MatrixFile file;
  app::together(MPI_COMM_WORLD, [&] {
    if (rank != 0) return;
    file = pcg::read_matrix_market(options.matrix_file);
    pcg::require_symmetric_and_plausibly_definite(file);
  });
  return pcg::scatter_rows(file, MPI_COMM_WORLD);
}

/// Opened before the solves, so that a wrong name costs no time.
void open_json_file(app::OutputFile& file, const std::string& name, int rank) {
  app::together(MPI_COMM_WORLD, [&] {
    if (rank == 0 && !name.empty() && name != "-") file.open("--json", name);
  });
}

/// False if the JSON file could not be written to its end.
bool print(const pcg::Report& report, app::OutputFile& json_file) {
  fmt::print("{}", report.options.json_file == "-" ? pcg::as_json(report) : pcg::as_text(report));
  for (const std::string& line : pcg::complaints(report)) fmt::print(stderr, "pcg: {}\n", line);
  std::fflush(stdout);
  if (!json_file.is_open() || json_file.finish(pcg::as_json(report))) return true;
  fmt::print(stderr, "pcg: --json {}: could not be written; is the disk full?\n", report.options.json_file);
  return false;
}

int run(int argument_count, char** arguments, int rank) {
  pcg::Options options;
  app::together(MPI_COMM_WORLD, [&] { options = pcg::parse_options(argument_count, arguments); });
  if (options.help) {
    if (rank == 0) fmt::print("{}", pcg::help_text());
    return app::kRight;
  }
  app::OutputFile json_file;
  open_json_file(json_file, options.json_file, rank);

  pcg::Report report;
  report.options = options;
  MPI_Comm_size(MPI_COMM_WORLD, &report.rank_count);
  const pcg::Operator matrix(make_problem(options, report, rank), MPI_COMM_WORLD);
  report.unknowns = matrix.global_rows();
  const pcg::Preconditioner preconditioner(matrix, options.preconditioner);
  report.preconditioner_setup = preconditioner.setup_seconds();
  report.solutions = pcg::solve_all(matrix, preconditioner, options);
  if (options.bandwidth) report.triad_bytes_per_second = app::measure_triad(MPI_COMM_WORLD);
  report.iallreduce_latency = pcg::measure_iallreduce_latency(MPI_COMM_WORLD);
  if (rank == 0 && !print(report, json_file)) return app::kWrong;
  return pcg::complaints(report).empty() ? app::kRight : app::kWrong;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return app::run_program("pcg", argument_count, arguments, [](int count, char** words, int rank) {
    HYPRE_Init();
    const HypreEnd end;
    return run(count, words, rank);
  });
}
