// SPDX-License-Identifier: BSD-3-Clause
// What the command line asks for.
#pragma once

#include <cstdint>
#include <string>

#include "format.hpp"

namespace compress {

enum class Task { kCompress, kTest, kDecompress };
enum class Exchange { kBlocking, kPipelined, kSkipped };

const char* name_of(Exchange exchange);

struct Options {
  Task task = Task::kCompress;
  std::string input;   ///< empty or "-": standard input
  std::string output;  ///< -o; empty or "-": standard output
  Format format = Format::kBzip2;
  Exchange exchange = Exchange::kPipelined;
  std::uint64_t block_bytes = 0;  ///< --block: plain bytes per rank and round
  int depth = 2;                  ///< --depth: rounds outstanding
  int level = 9;
  int repeat_count = 1;
  bool force = false;
  bool check = false;
  std::string json_file;  ///< empty: none; "-": standard output, instead of the table
  bool help = false;

  bool reads_standard_input() const { return input.empty() || input == "-"; }
  bool writes_standard_output() const { return output.empty() || output == "-"; }
};

/// Reads the command line; throws BadInput. Deterministic, so every rank may do it by itself.
Options parse_options(int argument_count, char** arguments);

std::string help_text();

}  // namespace compress
