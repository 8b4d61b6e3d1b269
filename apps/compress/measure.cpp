// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>

#include "collector.hpp"
#include "decoder.hpp"
#include "feed.hpp"
#include "progress_bar.hpp"
#include "verdict.hpp"

namespace compress {
namespace {

using app::BadInput;

/// The counts and offsets of MPI_Igatherv and MPI_Iscatterv are ints.
void require_that_rounds_fit(const Options& options, int rank_count) {
  const std::uint64_t longest = longest_piece(options.format, options.level, options.block_bytes);
  const std::uint64_t most = std::numeric_limits<int>::max();
  if (longest * static_cast<std::uint64_t>(rank_count) > most)
    throw BadInput(fmt::format(
        "--block {}: {} ranks together have more than {} bytes in a round; at most {} fit",
        options.block_bytes, rank_count, most, most / static_cast<std::uint64_t>(rank_count) * 9 / 10));
}

/// The checksum of pieces of the same lengths as those that were compressed.
class ChecksumOfPieces {
 public:
  explicit ChecksumOfPieces(std::uint64_t piece_bytes) : piece_bytes_(piece_bytes) {
    piece_.reserve(piece_bytes);
  }

  void add(std::span<const std::uint8_t> bytes) {
    bytes_ += bytes.size();
    while (!bytes.empty()) {
      const std::size_t count = std::min<std::size_t>(bytes.size(), piece_bytes_ - piece_.size());
      piece_.insert(piece_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
      bytes = bytes.subspan(count);
      if (piece_.size() == piece_bytes_) end_piece();
    }
  }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t sum() {
    if (!piece_.empty()) end_piece();
    return all_.sum();
  }

 private:
  void end_piece() {
    all_.add(checksum_of(piece_));
    piece_.clear();
  }

  std::uint64_t piece_bytes_;
  std::uint64_t bytes_ = 0;
  std::vector<std::uint8_t> piece_;
  Checksum all_;
};

/// Rank 0. What libbz2 or libzstd makes of the result.
void read_back(const OutputFile& output, const Options& options, Run& run) {
  const int file = output.open_to_read();
  if (file < 0) return;
  app::ProgressBar bar("check", static_cast<std::int64_t>(run.bytes_out), true);
  ChecksumOfPieces checksum(options.block_bytes);
  try {
    decode(
        file, options.output, [&](std::span<const std::uint8_t> plain) { checksum.add(plain); },
        [&](std::uint64_t bytes) { bar.advance(static_cast<std::int64_t>(bytes)); });
    run.sound = true;
  } catch (const BadInput& error) {  // our own fault
    fmt::print(stderr, "compress: {}\n", error.what());
  }
  ::close(file);
  run.plain_bytes_back = checksum.bytes();
  run.checksum_back = checksum.sum();
}

/// The rounds, between two clocks. Returns why this rank failed, or nothing.
std::string timed_rounds(Input& input, const Options& options, Stitcher* stitcher, MPI_Comm communicator,
                         Times& times, Run& run) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  const std::uint64_t round_bytes = options.block_bytes * static_cast<std::uint64_t>(rank_count);
  const bool shown = stitcher != nullptr && !input.is_stream();
  app::ProgressBar bar("compress", static_cast<std::int64_t>((input.bytes() + round_bytes - 1) / round_bytes),
                       shown);
  PieceMaker maker(options.format, options.level);
  Collector collector(options, stitcher, communicator, times);
  Feed feed(input, options, communicator, times);

  MPI_Barrier(communicator);
  const double start = MPI_Wtime();
  std::span<const std::uint8_t> block;
  while (feed.next(block)) {
    PieceHead head;
    {
      Timed timed(times.compressing);
      head = maker.make(block, collector.place());
    }
    head.failed = feed.problem().empty() ? 0 : 1;
    collector.submit(head);
    if (collector.failed()) feed.stop();
    ++run.rounds;
    bar.advance();
  }
  collector.finish();
  std::string problem = collector.problem().empty() ? feed.problem() : collector.problem();
  if (stitcher != nullptr && !collector.failed() && problem.empty() &&
      options.exchange != Exchange::kSkipped) {
    Timed timed(times.writing);
    try {
      stitcher->finish();
    } catch (const BadInput& error) { problem = error.what(); }
  }
  run.seconds = MPI_Wtime() - start;
  return problem;
}

Run compress_once(Input& input, OutputFile& output, const Options& options, MPI_Comm communicator) {
  int rank = 0;
  int rank_count = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &rank_count);
  Run run;
  Times times;
  std::optional<Stitcher> stitcher;
  app::together(communicator, [&] {
    if (rank != 0) return;
    output.begin_again();
    stitcher.emplace(options.format, options.level, output);
  });
  const std::string problem =
      timed_rounds(input, options, stitcher ? &*stitcher : nullptr, communicator, times, run);
  app::together(communicator, [&] {
    if (!problem.empty()) throw BadInput(problem);
  });

  MPI_Allreduce(MPI_IN_PLACE, &run.seconds, 1, MPI_DOUBLE, MPI_MAX, communicator);
  MPI_Allreduce(&times, &run.mean, kTimeCount, MPI_DOUBLE, MPI_SUM, communicator);
  for (double* one : {&run.mean.reading, &run.mean.compressing, &run.mean.waiting}) *one /= rank_count;
  if (!stitcher) return run;
  run.totals = stitcher->totals();
  run.bytes_out = output.bytes();
  if (options.check && options.exchange != Exchange::kSkipped) read_back(output, options, run);
  return run;
}

}  // namespace

std::vector<Run> compress_all(Input& input, OutputFile& output, const Options& options,
                              MPI_Comm communicator) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  app::together(communicator, [&] { require_that_rounds_fit(options, rank_count); });
  std::vector<Run> runs;
  for (int repeat = 0; repeat < options.repeat_count; ++repeat)
    runs.push_back(compress_once(input, output, options, communicator));
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.seconds < b.seconds; });
  return runs;
}

}  // namespace compress
