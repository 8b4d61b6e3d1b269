// SPDX-License-Identifier: BSD-3-Clause
// Blocks of global arrays in files: each rank reads or writes its part, by MPI-IO.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>
#include <string>

namespace wave {

/// A part of an array of three dimensions, from slow to fast. A rank may have nothing of it.
struct Block {
  std::array<int, 3> whole{}, first{}, count{};

  std::size_t values() const { return std::size_t(count[0]) * count[1] * count[2]; }
  MPI_Offset whole_values() const { return MPI_Offset(whole[0]) * whole[1] * whole[2]; }
};

/// A file that all ranks of a communicator have open. Every function is collective.
class SharedFile {
 public:
  SharedFile(const std::string& name, int mode, MPI_Comm communicator);
  ~SharedFile() {
    if (is_open()) close();
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  bool is_open() const { return file_ != MPI_FILE_NULL; }
  MPI_Offset size() const;
  /// The first bytes of the file, up to so many.
  std::string beginning(std::size_t bytes);
  void truncate() { is_good_ = MPI_File_set_size(file_, 0) == MPI_SUCCESS && is_good_; }
  /// Of rank 0 only.
  void write_text(MPI_Offset at, const std::string& text);
  std::string read_text(MPI_Offset at, std::size_t bytes);
  void write(MPI_Offset at, const Block& block, MPI_Datatype type, const void* values);
  void read(MPI_Offset at, const Block& block, MPI_Datatype type, void* values);
  /// False on all ranks if anything failed on any.
  bool close();

 private:
  template <typename Move>
  void move(MPI_Offset at, const Block& block, MPI_Datatype type, const Move& move);

  MPI_Comm communicator_;
  MPI_File file_ = MPI_FILE_NULL;
  bool is_good_ = true;
};

}  // namespace wave
