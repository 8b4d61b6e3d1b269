// SPDX-License-Identifier: BSD-3-Clause
// wave: elastic waves in the ground, with faces that travel while other components are computed.
//
// A plain MPI program: options, problem, steps, report. Rank 0 speaks; all ranks end with the same code.
#include <cstdio>
#include <fmt/format.h>
#include <mpi.h>

#include "options.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "report.hpp"
#include "run.hpp"
#include "verdict.hpp"

namespace {

/// Opened before the run, so that a wrong name costs no time.
struct OutputFiles {
  app::OutputFile json, seismograms;

  void open(const wave::Options& options, int rank) {
    app::together(MPI_COMM_WORLD, [&] {
      if (rank != 0) return;
      if (!options.json_file.empty() && options.json_file != "-") json.open("--json", options.json_file);
      if (!options.seismograms_file.empty()) seismograms.open("--seismograms", options.seismograms_file);
    });
  }
};

bool written(bool good, const std::string& option, const std::string& name) {
  if (!good) fmt::print(stderr, "wave: {} {}: could not be written; is the disk full?\n", option, name);
  return good;
}

/// False if a file could not be written to its end.
bool print(const wave::Report& report, OutputFiles& files) {
  const wave::Options& options = report.options;
  const std::string json = wave::as_json(report);
  fmt::print("{}", options.json_file == "-" ? json : wave::as_text(report));
  if (!report.problem.warning.empty()) fmt::print(stderr, "wave: warning: {}\n", report.problem.warning);
  for (const std::string& line : wave::complaints(report)) fmt::print(stderr, "wave: {}\n", line);
  std::fflush(stdout);
  bool good = written(report.solution.snapshots_written, "--snapshots", options.snapshot.folder);
  if (files.seismograms.is_open()) {
    const auto& seismograms = report.solution.seismograms;
    const bool is_csv = options.seismograms_file.ends_with(".csv");
    const double time_step = report.problem.time_step;
    good = written(files.seismograms.finish(is_csv ? wave::as_csv(seismograms, time_step)
                                                   : wave::as_npy(seismograms, time_step)),
                   "--seismograms", options.seismograms_file) &&
           good;
  }
  if (files.json.is_open()) good = written(files.json.finish(json), "--json", options.json_file) && good;
  return good;
}

int run(int argument_count, char** arguments, int rank) {
  wave::Report report;
  app::together(MPI_COMM_WORLD, [&] { report.options = wave::parse_options(argument_count, arguments); });
  if (report.options.help) {
    if (rank == 0) fmt::print("{}", wave::help_text());
    return app::kRight;
  }
  OutputFiles files;
  files.open(report.options, rank);
  report.rank = rank;
  MPI_Comm_size(MPI_COMM_WORLD, &report.rank_count);
  wave::run(report);
  int code = app::kRight;
  if (rank == 0 && (!print(report, files) || !wave::complaints(report).empty())) code = app::kWrong;
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);  // seismograms are judged on rank 0 only
  return code;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return app::run_program("wave", argument_count, arguments, run);
}
