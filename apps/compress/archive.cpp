// SPDX-License-Identifier: BSD-3-Clause
#include "archive.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include "decoder.hpp"
#include "input.hpp"
#include "output_file.hpp"
#include "progress_bar.hpp"

namespace compress {
namespace {

void say(const Options& options, const std::string& name, const Decoded& decoded) {
  const bool taken = options.task == Task::kDecompress && options.writes_standard_output();
  fmt::print(taken ? stderr : stdout, "compress: {}: {}, sound: {} bytes, {} plain bytes, {} {}\n", name,
             decoded.format, decoded.bytes_in, decoded.plain_bytes,
             std::string_view(decoded.format) == "zstd" ? "frames" : "streams", decoded.parts);
}

}  // namespace

void read_archive(const Options& options, const Input& input) {
  std::unique_ptr<OutputFile> output;
  if (options.task == Task::kDecompress)
    output = std::make_unique<OutputFile>(options.output, options.force, &input);
  Decoded decoded;
  {
    app::ProgressBar bar(options.task == Task::kTest ? "test" : "decompress",
                         static_cast<std::int64_t>(input.bytes()), !input.is_stream());
    decoded = decode(
        input.file(), input.name(),
        [&](std::span<const std::uint8_t> plain) {
          if (output) output->write(plain);
        },
        [&](std::uint64_t bytes) { bar.advance(static_cast<std::int64_t>(bytes)); });
  }
  if (output) output->commit();
  say(options, input.name(), decoded);
}

}  // namespace compress
