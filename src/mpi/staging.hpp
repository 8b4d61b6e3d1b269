// SPDX-License-Identifier: BSD-3-Clause
// Staging: a user buffer whose datatype does not lie in memory as it travels, as a packed copy.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "base/types.hpp"

namespace weft::mpi {

class Staging {
 public:
  // `blocks` blocks of `count` elements, each `block` bytes when packed. An MPI error code.
  int prepare(void* buffer, MPI_Datatype type, MPI_Count count, MPI_Count blocks, Bytes block);
  int pack(MPI_Count first_block, MPI_Count block_count, Bytes block);
  // From here on deliver() unpacks everything; without it, it does nothing.
  void deliver_at_end() { delivers_ = true; }
  int deliver(Bytes block) { return delivers_ && block > Bytes(0) ? unpack(block) : MPI_SUCCESS; }

  std::byte* packed() { return packed_.data(); }
  std::size_t bytes() const { return packed_.capacity(); }
  // Forgets the user's buffer and type.
  void reset() {
    if (type != MPI_DATATYPE_NULL) forget();
  }
  void give_back_memory() { std::vector<std::byte>().swap(packed_); }

  MPI_Datatype type = MPI_DATATYPE_NULL;  // the user's; null: not in use

 private:
  void forget();
  int from_bottom(MPI_Datatype datatype);
  int unpack(Bytes block);

  std::byte* user_ = nullptr;
  MPI_Datatype shifted_ = MPI_DATATYPE_NULL;  // for MPI_BOTTOM: the same addresses relative to a real pointer
  MPI_Count count_ = 0;
  MPI_Count blocks_ = 0;
  MPI_Count extent_ = 0;
  bool delivers_ = false;
  std::vector<std::byte> packed_;
};

}  // namespace weft::mpi
