// SPDX-License-Identifier: BSD-3-Clause
// compress: bzip2 and zstd on all ranks, the results gathered while the next ones are made.
//
// A plain MPI program: options, input, rounds, report. Rank 0 speaks and writes; all ranks end with the same
// code.
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <mpi.h>

#include "archive.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verdict.hpp"

namespace {

constexpr int kDone = 0;
constexpr int kWrong = 1;
constexpr int kBadInput = 2;

/// Opened before the work, so that a wrong name costs no time.
std::ofstream open_json_file(const std::string& name, int rank) {
  std::ofstream stream;
  app::together(MPI_COMM_WORLD, [&] {
    if (rank != 0 || name.empty() || name == "-") return;
    stream.open(name);
    if (!stream)
      throw app::BadInput(fmt::format("--json {}: cannot be written; check the folder and its rights", name));
  });
  return stream;
}

/// False if the JSON file could not be written to its end.
bool print(const compress::Report& report, std::ofstream& json_file) {
  const compress::Options& options = report.options;
  if (options.json_file == "-") {
    fmt::print("{}", compress::as_json(report));
  } else {
    const bool taken = options.writes_standard_output() && options.exchange != compress::Exchange::kSkipped;
    fmt::print(taken ? stderr : stdout, "{}", compress::as_text(report));
    if (json_file.is_open()) json_file << compress::as_json(report) << std::flush;
  }
  std::fflush(stdout);
  if (json_file) return true;
  fmt::print(stderr, "compress: --json {}: could not be written; is the disk full?\n", options.json_file);
  return false;
}

int compress_input(const compress::Options& options, compress::Input& input, int rank) {
  std::ofstream json_file = open_json_file(options.json_file, rank);
  std::unique_ptr<compress::OutputFile> output = std::make_unique<compress::OutputFile>();
  app::together(MPI_COMM_WORLD, [&] {
    if (rank == 0 && options.exchange != compress::Exchange::kSkipped)
      output = std::make_unique<compress::OutputFile>(options.output, options.force, input);
  });
  compress::Report report;
  report.options = options;
  report.from_stream = input.is_stream();
  report.input_bytes = input.bytes();
  MPI_Comm_size(MPI_COMM_WORLD, &report.rank_count);
  report.runs = compress::compress_all(input, *output, options, MPI_COMM_WORLD);

  int code = report.right().value_or(true) ? kDone : kWrong;
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  app::together(MPI_COMM_WORLD, [&] {
    if (code == kDone) output->commit();
  });
  if (rank == 0 && !print(report, json_file)) code = kWrong;
  if (rank == 0 && report.right() == false)
    fmt::print(stderr, "compress: {}: is not what came in when it is decompressed; it is removed\n",
               options.output);
  return code;
}

int run(int argument_count, char** arguments, int rank) {
  compress::Options options;
  app::together(MPI_COMM_WORLD, [&] { options = compress::parse_options(argument_count, arguments); });
  if (options.help) {
    if (rank == 0) fmt::print("{}", compress::help_text());
    return kDone;
  }
  compress::Input input(options.input, MPI_COMM_WORLD);
  if (options.task == compress::Task::kCompress) return compress_input(options, input, rank);
  app::together(MPI_COMM_WORLD, [&] {
    if (rank == 0) compress::read_archive(options, input);
  });
  return kDone;
}

}  // namespace

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int code = kBadInput;
  try {
    code = run(argument_count, arguments, rank);
  } catch (const app::BadInput& error) {  // the same on all ranks
    if (rank == 0) fmt::print(stderr, "compress: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "compress: rank {}: {}\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, kWrong);
  }
  MPI_Finalize();
  return code;
}
