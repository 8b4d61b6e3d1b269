// SPDX-License-Identifier: BSD-3-Clause
// Staging: a side whose blocks do not lie in memory as they travel, as a copy in which they do.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "mpi/side.hpp"

namespace weft::mpi {

class Staging {
 public:
  void prepare(const Side& side);
  // From the caller's memory what is there before the call, and back what is there after it; MPI error codes.
  int fill();
  int deliver();

  std::byte* data() { return copy_.data(); }
  std::size_t bytes() const { return copy_.capacity() + piece_.capacity(); }
  bool in_use() const { return side_.staged; }
  bool uses(MPI_Datatype type) const;
  // Forgets the caller's buffer and types.
  void reset() { side_.staged = false; }
  void give_back_memory();

 private:
  int move(BlockRange range, bool into_copy);
  int move(const Block& block, bool into_copy);

  Side side_;
  std::vector<std::byte> copy_;
  std::vector<std::byte> piece_;  // of a spread side: some elements on the way
};

}  // namespace weft::mpi
