// SPDX-License-Identifier: BSD-3-Clause
// fft3d: parallel 3-D Fourier transforms, with exchanges that run under the computation.
//
// A plain MPI program: options, transforms, report. Rank 0 speaks; all ranks end with the same code.
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <mpi.h>

#include "fftw_reference.hpp"
#include "measure.hpp"
#include "memory_needed.hpp"
#include "npy.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "report.hpp"
#include "verdict.hpp"
#include "vortex.hpp"

namespace {

fft3d::ProcessGrid choose_process_grid(const fft3d::Options& options, int rank_count) {
  const bool is_given = options.processes.rows > 0;
  fft3d::ProcessGrid processes = is_given ? options.processes : fft3d::near_square(rank_count);
  if (options.form.exchanges == fft3d::Exchanges::kFftw) {
    if (!fft3d::has_fftw_reference())
      throw app::BadInput(
          "--exchange fftw is not in this build, which found no FFTW-MPI for its MPI (Debian: "
          "libfftw3-mpi-dev, with "
          "Open MPI): choose another exchange");
    if (is_given && processes.columns != 1)
      throw app::BadInput(
          fmt::format("-P {} {} does not go with --exchange fftw, which has slabs: use -P {} 1",
                      processes.rows, processes.columns, rank_count));
    processes = {rank_count, 1};
  }
  if (const std::string why = fft3d::refusal(options.grid, processes, rank_count); !why.empty())
    throw app::BadInput(why);
  return processes;
}

struct OutputFiles {
  app::OutputFile json, slice;
};

/// Opened before the work, so that a wrong name costs no time.
void open_files(const fft3d::Options& options, OutputFiles& files) {
  if (!options.json_file.empty() && options.json_file != "-") files.json.open("--json", options.json_file);
  if (!options.taylor_green.slice_file.empty()) files.slice.open("--slice", options.taylor_green.slice_file);
}

/// False if a file could not be written to its end.
bool finish(app::OutputFile& file, const std::string& option, const std::string& name,
            const std::function<std::string()>& content) {
  if (!file.is_open() || file.finish(content())) return true;
  fmt::print(stderr, "fft3d: {} {}: could not be written; is the disk full?\n", option, name);
  return false;
}

bool print(const fft3d::Report& report, OutputFiles& files) {
  const fft3d::Options& options = report.options;
  fmt::print("{}", options.json_file == "-" ? fft3d::as_json(report) : fft3d::as_text(report));
  for (const std::string& line : fft3d::complaints(report)) fmt::print(stderr, "fft3d: {}\n", line);
  std::fflush(stdout);
  const bool has_json =
      finish(files.json, "--json", options.json_file, [&] { return fft3d::as_json(report); });
  return finish(files.slice, "--slice", options.taylor_green.slice_file,
                [&] {
                  const auto rows = static_cast<std::size_t>(options.grid.points[1]);
                  const auto columns = static_cast<std::size_t>(options.grid.points[0]);
                  return app::as_npy<double>({rows, columns}, report.slice);
                }) &&
         has_json;
}

int run(int argument_count, char** arguments, int rank) {
  fft3d::Report report;
  fft3d::Options& options = report.options;
  app::together(MPI_COMM_WORLD, [&] { options = fft3d::parse_options(argument_count, arguments); });
  if (options.help) {
    if (rank == 0) fmt::print("{}", fft3d::help_text());
    return app::kRight;
  }
  MPI_Comm_size(MPI_COMM_WORLD, &report.rank_count);
  app::together(MPI_COMM_WORLD, [&] { report.processes = choose_process_grid(options, report.rank_count); });
  fft3d::require_memory(options, MPI_COMM_WORLD);
  OutputFiles files;
  app::together(MPI_COMM_WORLD, [&] {
    if (rank == 0) open_files(options, files);
  });

  const fft3d::Decomposition decomposition(options.grid, report.processes, MPI_COMM_WORLD);
  if (report.is_vortex()) fft3d::measure_vortex(decomposition, report);
  else fft3d::measure_transforms(decomposition, report);
  int is_right = fft3d::complaints(report).empty();
  if (rank == 0) is_right = print(report, files) && is_right;
  MPI_Bcast(&is_right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return is_right ? app::kRight : app::kWrong;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return app::run_program("fft3d", argument_count, arguments, run);
}
