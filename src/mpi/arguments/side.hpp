// SPDX-License-Identifier: BSD-3-Clause
// Side: one of a call's two buffers as the call's arguments describe it, and as the schedule sees it.
//
// The schedule sees bytes. If all blocks lie in memory as they travel, these are the caller's own, from the
// lowest block on; else the side is staged: copied into blocks one behind the other, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <vector>

#include "base/types.hpp"

namespace weft::mpi {

struct Block {
  MPI_Count at = 0;  // bytes from the caller's address
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Bytes size;    // as it travels
  Bytes offset;  // in what the schedule sees
};

// Some of a side's blocks: those that hold a rank's contribution, or will hold its result.
struct BlockRange {
  std::size_t begin = 0, end = 0;
};

struct Side {
  void* buffer = nullptr;
  std::vector<Block> blocks;  // may be left out where there is one, or one per rank, side by side
  bool staged = false;
  bool copied = false;          // staged without a view of the caller's memory
  bool in_accelerator = false;  // copied by an accelerator's driver (accelerator.hpp)
  bool spread = false;          // staged in the form that operators take, gaps and all, not packed
  MPI_Count lowest = 0;
  std::uint64_t number = 0;  // sides with the same differ in their buffer's address alone; 0: it has none
  BlockRange full_before, full_after;  // of a staged side: the blocks that are full before and after the call

  std::byte* address() const { return static_cast<std::byte*>(buffer) + lowest; }
  Bytes size() const { return blocks.empty() ? Bytes(0) : blocks.back().offset + blocks.back().size; }
  BlockRange all() const { return {0, blocks.size()}; }
};

}  // namespace weft::mpi
