// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <charconv>
#include <fmt/format.h>
#include <string_view>

#include "arguments.hpp"
#include "bzip2_blocks.hpp"
#include "verdict.hpp"

namespace compress {
namespace {

using app::Arguments;
using app::BadInput;

constexpr std::uint64_t kLongestBlock = 64 << 20;
constexpr std::uint64_t kZstdBlock = 1 << 20;
constexpr int kDeepest = 64;

Format parse_format(std::string_view text) {
  for (const Format format : {Format::kBzip2, Format::kZstd})
    if (text == name_of(format)) return format;
  throw BadInput(fmt::format("--format '{}' is unknown: use bzip2 or zstd", text));
}

Exchange parse_exchange(std::string_view text) {
  for (const Exchange exchange : {Exchange::kBlocking, Exchange::kPipelined, Exchange::kSkipped})
    if (text == name_of(exchange)) return exchange;
  throw BadInput(fmt::format("--exchange '{}' is unknown: use blocking, pipelined or skipped", text));
}

std::uint64_t parse_block(std::string_view text) {
  std::uint64_t bytes = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const int shift = unit == "K" ? 10 : unit == "M" ? 20 : 0;
  const bool understood = error == std::errc() && (unit.empty() || shift != 0);
  if (!understood || bytes < 1 || bytes > kLongestBlock >> shift)
    throw BadInput(
        fmt::format("--block needs 1 to {} bytes, as in 900000, 512K or 4M, not '{}'", kLongestBlock, text));
  return bytes << shift;
}

int parse_up_to(int most, Arguments& arguments, std::string_view option) {
  const std::string meaning = fmt::format("an integer from 1 to {}", most);
  const int value = arguments.positive_integer(option, meaning.c_str());
  if (value > most) throw BadInput(fmt::format("{} needs {}, not '{}'", option, meaning, value));
  return value;
}

void require_that_it_fits_together(const Options& options) {
  if (options.json_file == "-" && options.writes_standard_output() && options.exchange != Exchange::kSkipped)
    throw BadInput("--json - and the result would both go to standard output: name the result with -o FILE");
  if (options.repeat_count > 1 && options.reads_standard_input())
    throw BadInput("--repeat needs a file as input: standard input can be read only once");
  if (options.check && options.writes_standard_output() && options.json_file.empty())
    throw BadInput("--check reads the result back: name it with -o FILE");
  if (options.task != Task::kCompress && !options.json_file.empty())
    throw BadInput("--json reports a compression: it goes with neither --test nor --decompress");
  if (options.task != Task::kCompress && options.exchange == Exchange::kSkipped)
    throw BadInput("--exchange skipped measures a compression: it goes with neither --test nor --decompress");
  if (options.task == Task::kTest && !options.output.empty())
    throw BadInput("--test writes nothing: drop -o, or use --decompress");
}

}  // namespace

const char* name_of(Exchange exchange) {
  switch (exchange) {
    case Exchange::kBlocking: return "blocking";
    case Exchange::kPipelined: return "pipelined";
    case Exchange::kSkipped: return "skipped";
  }
  return "?";
}

Options parse_options(int argument_count, char** argument_values) {
  Options options;
  Arguments arguments(argument_count, argument_values);
  bool input_given = false;
  bool check_given = false;
  while (!arguments.empty()) {
    const std::string_view option = arguments.take();
    if (option == "-o" || option == "--output") {
      options.output = arguments.value_of(option, "a file name, or - for standard output");
    } else if (option == "--format") {
      options.format = parse_format(arguments.value_of(option, "bzip2 or zstd"));
    } else if (option == "--exchange") {
      options.exchange = parse_exchange(arguments.value_of(option, "blocking, pipelined or skipped"));
    } else if (option == "--block") {
      options.block_bytes = parse_block(arguments.value_of(option, "a number of bytes"));
    } else if (option == "--depth") {
      options.depth = parse_up_to(kDeepest, arguments, option);
    } else if (option == "--level") {
      options.level = parse_up_to(9, arguments, option);
    } else if (option == "--repeat") {
      options.repeat_count = arguments.positive_integer(option);
    } else if (option == "--test") {
      options.task = Task::kTest;
    } else if (option == "--decompress" || option == "-d") {
      options.task = Task::kDecompress;
    } else if (option == "--force" || option == "-f") {
      options.force = true;
    } else if (option == "--check" || option == "--no-check") {
      options.check = option == "--check";
      check_given = true;
    } else if (option == "--json") {
      options.json_file = arguments.value_of(option, "a file name, or - for standard output");
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else if (option.starts_with('-') && option != "-") {
      throw BadInput(fmt::format("unknown option '{}': compress --help lists the options", option));
    } else if (input_given) {
      throw BadInput(fmt::format("one input at a time: '{}' is a second one", option));
    } else {
      options.input = option;
      input_given = true;
    }
  }
  if (!check_given) options.check = !options.json_file.empty();
  if (options.block_bytes == 0)
    options.block_bytes = options.format == Format::kBzip2 ? block_capacity(options.level) : kZstdBlock;
  require_that_it_fits_together(options);
  return options;
}

std::string help_text() {
  return R"(compress: compresses a file on all ranks, and gathers what is done while it goes on.

usage: mpiexec -n RANKS compress [options] [FILE]

FILE absent or - is standard input, which rank 0 reads and scatters; of a file each rank reads its own parts.

result
  -o FILE              where the result goes; absent or - means standard output
  --force              replace the result if there is one already
  --format NAME        bzip2 (default): one stream, of the blocks of all ranks; zstd: frames
  --level N            1 to 9 (default 9), as of bzip2 and zstd
  --check              decompress the result and compare it with what came in (--no-check: don't;
                       without either it is done where --json is given)

rounds
  --block BYTES        what a rank compresses in a round (default: one block of bzip2, 1 MiB for zstd)
  --depth D            so many rounds are on their way at a time (default 2)
  --exchange NAME      pipelined    MPI_Igatherv behind the compression of the next rounds (default)
                       blocking     MPI_Gatherv after each round
                       skipped      nothing is gathered and nothing written, to see what that costs
  --repeat K           compress K times and report the run of median time (default 1)

archives, which rank 0 reads and all ranks decompress (--depth, --exchange)
  --test               reads FILE, a .bz2 or .zst, and says whether, and where, it is damaged
  --decompress         the same, and writes what is in it

output
  --json FILE          write everything as one JSON object; - means standard output
  --help               this text

exit code: 0 done, 1 the result is not what came in, 2 bad input, also a damaged archive, or a full disk
)";
}

}  // namespace compress
