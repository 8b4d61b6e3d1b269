// SPDX-License-Identifier: BSD-3-Clause
// Board: what the ranks of one node tell a member of a window, in memory that they share: behind the member's
// own part of the window. Whoever writes a line is its only writer, so that saying something is one store.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace weft::mpi::window {

// From one member to the board's owner. Epochs between the two follow one another, so that counts say which
// has come: the n-th access epoch belongs to the n-th exposure epoch.
struct alignas(64) Notes {
  std::atomic<std::uint64_t> opened{0};  // exposure epochs, for the owner to access
  std::atomic<std::uint64_t> closed{0};  // access epochs, on the owner's memory
};

class Board {
 public:
  static Bytes bytes_for(int members) {
    return Bytes(
        static_cast<std::int64_t>(sizeof(Board) + sizeof(Notes) * static_cast<std::size_t>(members)));
  }
  Notes& from(int member) { return reinterpret_cast<Notes*>(this + 1)[member]; }

  // How many transfers the owner's agent sleeps on, until somebody opens an epoch for them.
  std::atomic<std::uint64_t> sleeping{0};
  // Accumulating accesses are atomic among themselves: the member that is updating the owner's memory, by its
  // number and one, or 0.
  alignas(64) std::atomic<std::int32_t> updated_by{0};
};
static_assert(sizeof(Board) % alignof(Notes) == 0);

}  // namespace weft::mpi::window
