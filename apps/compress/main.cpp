// SPDX-License-Identifier: BSD-3-Clause
// compress: bzip2 and zstd on all ranks, the results gathered while the next ones are made.
//
// A plain MPI program: options, input, rounds, report. Rank 0 speaks and writes; all ranks end with the same
// code.
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <mpi.h>

#include "archive.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "program.hpp"
#include "report.hpp"
#include "verdict.hpp"

namespace {

/// Opened before the work, so that a wrong name costs no time.
struct Results {
  std::unique_ptr<compress::OutputFile> file = std::make_unique<compress::OutputFile>();
  std::unique_ptr<compress::OutputFile> json;
};

Results open_results(const compress::Options& options, const compress::Input& input, int rank) {
  Results results;
  app::together(MPI_COMM_WORLD, [&] {
    if (rank != 0) return;
    const bool replace = true;
    if (!options.json_file.empty() && options.json_file != "-")
      results.json = std::make_unique<compress::OutputFile>(options.json_file, replace);
    if (options.exchange != compress::Exchange::kSkipped)
      results.file = std::make_unique<compress::OutputFile>(options.output, options.force, &input);
  });
  return results;
}

void print(const compress::Report& report, Results& results) {
  const compress::Options& options = report.options;
  const std::string json = compress::as_json(report);
  if (options.json_file == "-") {
    fmt::print("{}", json);
  } else {
    const bool taken = options.writes_standard_output() && options.exchange != compress::Exchange::kSkipped;
    fmt::print(taken ? stderr : stdout, "{}", compress::as_text(report));
  }
  std::fflush(stdout);
  if (report.right() == false)
    fmt::print(stderr, "compress: {}: is not what came in when it is decompressed; it is removed\n",
               options.output);
  if (!results.json) return;
  results.json->write({reinterpret_cast<const std::uint8_t*>(json.data()), json.size()});
  results.json->commit();
}

int compress_input(const compress::Options& options, compress::Input& input, int rank) {
  Results results = open_results(options, input, rank);
  compress::Report report;
  report.options = options;
  report.from_stream = input.is_stream();
  report.input_bytes = input.bytes();
  MPI_Comm_size(MPI_COMM_WORLD, &report.rank_count);
  report.runs = compress::compress_all(input, *results.file, options, MPI_COMM_WORLD);

  int code = report.right().value_or(true) ? app::kRight : app::kWrong;
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  app::together(MPI_COMM_WORLD, [&] {
    if (rank != 0) return;
    if (code == app::kRight) results.file->commit();
    print(report, results);
  });
  return code;
}

int run(int argument_count, char** arguments, int rank) {
  compress::Options options;
  app::together(MPI_COMM_WORLD, [&] { options = compress::parse_options(argument_count, arguments); });
  if (options.help) {
    if (rank == 0) fmt::print("{}", compress::help_text());
    return app::kRight;
  }
  compress::Input input(options.input, MPI_COMM_WORLD);
  if (options.task == compress::Task::kCompress) return compress_input(options, input, rank);
  compress::read_archive(options, input, MPI_COMM_WORLD);
  return app::kRight;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return app::run_program("compress", argument_count, arguments, run);
}
