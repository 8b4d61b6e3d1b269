// SPDX-License-Identifier: BSD-3-Clause
// Input: a regular file, of which every rank reads its own parts, or a stream, which only rank 0 can read.
//
// A stream is standard input and whatever else has no length that could be relied on: pipes, devices, files
// of /proc.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace compress {

class Input {
 public:
  /// `name` empty or "-": standard input. Collective; throws BadInput on all ranks.
  Input(const std::string& name, MPI_Comm communicator);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  bool is_stream() const { return facts_.is_stream != 0; }
  std::uint64_t bytes() const { return facts_.bytes; }  ///< of a file
  /// What tells a file from all others, to see whether the output is the input.
  std::uint64_t device() const { return facts_.device; }
  std::uint64_t inode() const { return facts_.inode; }

  /// Fills `bytes` from a file; throws BadInput, for this rank alone.
  void read_at(std::uint64_t offset, std::span<std::uint8_t> bytes) const;
  /// Rank 0, from a stream: as much as there is; less than asked for is the end. Throws BadInput.
  std::size_t read(std::span<std::uint8_t> bytes);
  /// Rank 0: its descriptor, for who reads all of it.
  int file() const { return file_; }
  /// What a message calls it.
  const std::string& name() const { return name_; }

 private:
  struct Facts {
    std::uint64_t is_stream, bytes, device, inode;
  };

  void open_first(const std::string& name);
  void open_further(const std::string& name);

  std::string name_;
  Facts facts_{};
  int file_ = -1;
  std::uint64_t position_ = 0;
};

}  // namespace compress
