// SPDX-License-Identifier: BSD-3-Clause
// OutputFile: has its final name only when it is complete. Rank 0's.
//
// Until then it is a file beside it, NAME.XXXXXX, which is removed if something fails or a signal ends the
// program. Standard output and devices are written to directly.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "input.hpp"

namespace compress {

class OutputFile {
 public:
  /// Nothing is opened.
  OutputFile() = default;
  /// `name` empty or "-": standard output. `force`: it may replace a file, but not `input`. Throws BadInput.
  OutputFile(const std::string& name, bool force, const Input* input = nullptr);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws BadInput.
  void write(std::span<const std::uint8_t> bytes);
  /// Empties it. Throws BadInput.
  void begin_again();
  /// Gives it its name. Throws BadInput.
  void commit();

  std::uint64_t bytes() const { return bytes_; }
  /// To read what has been written; -1 if that is not possible.
  int open_to_read() const;

 private:
  void open_beside(bool exists);

  std::string name_, temporary_;
  bool force_ = false;
  int file_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace compress
