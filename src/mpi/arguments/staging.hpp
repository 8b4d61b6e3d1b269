// SPDX-License-Identifier: BSD-3-Clause
// Staging: a side whose blocks do not lie in memory as they travel, as a copy in which they do; or as a view,
// which packs what a schedule copies on its way, where it does no more than that and all layouts are simple.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "base/plain_memory.hpp"
#include "executor/processor/operation.hpp"
#include "mpi/arguments/layout.hpp"
#include "mpi/arguments/side.hpp"

namespace weft::mpi {

class Staging {
 public:
  // `only_copies`: the schedule does nothing with the side but copy from and to it.
  void prepare(const Side& side, bool only_copies);
  const PackedView* view() const { return in_use() && views_ ? &view_ : nullptr; }
  // fill() copies from the caller's memory what is there before the call, deliver() copies the result back.
  // MPI error codes.
  int fill() { return copies() ? move(side_.full_before, true) : MPI_SUCCESS; }
  int deliver() { return copies() ? move(side_.full_after, false) : MPI_SUCCESS; }

  std::byte* data() { return copy_.data(); }
  std::size_t bytes() const { return copy_.bytes() + piece_.bytes(); }
  bool in_use() const { return side_.staged; }
  bool uses(MPI_Datatype type) const;
  // Forgets the caller's buffer and types, but for what the next side with the same number needs.
  void reset() { side_.staged = false; }
  void give_back_memory();

 private:
  bool copies() const { return side_.staged && !views_; }
  int move(BlockRange range, bool into_copy);
  int move(const Block& block, bool into_copy);

  struct BlockView {
    std::byte* address;
    MPI_Count count, extent;
    Bytes offset, size;
    Layout layout;
  };
  bool see();  // makes the view, if there can be one
  void prepare_again(void* buffer);
  template <class Move>
  void for_views(Bytes at, Bytes size, Move move) const;
  static void pack(const void* staging, Bytes at, Bytes size, std::byte* into);
  static void unpack(const void* staging, Bytes at, Bytes size, const std::byte* from);

  Side side_;
  bool views_ = false;
  std::vector<BlockView> seen_;  // in the order of their offsets
  PackedView view_{.pack = pack, .unpack = unpack, .context = this};
  PlainMemory copy_;
  PlainMemory piece_;  // of a spread side: some elements on the way
};

}  // namespace weft::mpi
