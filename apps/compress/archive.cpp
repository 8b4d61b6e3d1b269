// SPDX-License-Identifier: BSD-3-Clause
#include "archive.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>

#include "chain.hpp"
#include "dealer.hpp"
#include "gatherer.hpp"
#include "output_file.hpp"
#include "piece_decoder.hpp"
#include "progress_bar.hpp"
#include "verdict.hpp"
#include "window.hpp"

namespace compress {
namespace {

void say(const Options& options, const std::string& name, const Decoded& decoded) {
  const bool taken = options.task == Task::kDecompress && options.writes_standard_output();
  fmt::print(taken ? stderr : stdout, "compress: {}: {}, sound: {} bytes, {} plain bytes, {} {}\n", name,
             name_of(decoded.format), decoded.bytes_in, decoded.plain_bytes,
             decoded.format == Format::kZstd ? "frames" : "streams", decoded.parts);
}

/// The rounds, as far as the archive can be cut into pieces.
void decode_pieces(const Options& options, Chain* chain, const Sink& sink,
                   const std::function<void()>& after_round, MPI_Comm communicator) {
  Dealer dealer(options, chain, communicator);
  Gatherer gatherer(options, chain, sink, communicator);
  PieceDecoder decoder(options.task == Task::kDecompress);
  PieceOrder order;
  std::span<const std::uint8_t> piece;
  while (dealer.next(order, piece)) {
    PieceResult result;
    if (piece.empty()) gatherer.place().clear();
    else result = decoder.decode(order, piece, gatherer.place());
    gatherer.submit(result, dealer.orders());
    if (!gatherer.problem().empty()) dealer.stop();
    after_round();
  }
  gatherer.finish();
  app::together(communicator, [&] {
    if (!gatherer.problem().empty()) throw app::BadInput(gatherer.problem());
    if (!dealer.problem().empty()) throw app::BadInput(dealer.problem());
  });
}

/// What rank 0 has of an archive; nothing elsewhere.
struct Reader {
  std::unique_ptr<OutputFile> output;
  std::optional<Window> window;
  std::unique_ptr<Chain> chain;
};

}  // namespace

void read_archive(const Options& options, Input& input, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const bool wanted = options.task == Task::kDecompress;
  Reader reader;
  app::together(communicator, [&] {
    if (rank != 0) return;
    if (wanted) reader.output = std::make_unique<OutputFile>(options.output, options.force, &input);
    reader.window.emplace(input);
    reader.chain = Chain::of(*reader.window, input.name(), wanted);
  });
  {
    app::ProgressBar bar(wanted ? "decompress" : "test", static_cast<std::int64_t>(input.bytes()),
                         rank == 0 && !input.is_stream());
    std::uint64_t shown = 0;
    const auto show = [&] {
      if (!reader.chain) return;
      bar.advance(static_cast<std::int64_t>(reader.chain->decoded().bytes_in - shown));
      shown = reader.chain->decoded().bytes_in;
    };
    const Sink sink = [&](std::span<const std::uint8_t> plain) {
      if (reader.output) reader.output->write(plain);
      show();
    };
    int more = 1;
    while (more != 0) {
      decode_pieces(options, reader.chain.get(), sink, show, communicator);
      app::together(communicator, [&] {
        if (rank == 0) more = reader.chain->go_on(sink) ? 1 : 0;
      });
      MPI_Bcast(&more, 1, MPI_INT, 0, communicator);
    }
  }
  app::together(communicator, [&] {
    if (reader.output) reader.output->commit();
    if (rank == 0) say(options, input.name(), reader.chain->decoded());
  });
}

}  // namespace compress
