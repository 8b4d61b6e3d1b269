// SPDX-License-Identifier: BSD-3-Clause
// Rotation: ranks renumbered so that the root is position 0 of a tree.
#pragma once

#include <cstdint>

namespace weft {

struct Rotation {
  int root;
  int rank_count;

  int position_of(int rank) const { return wrap(static_cast<std::int64_t>(rank) - root); }
  int rank_at(int position) const { return wrap(static_cast<std::int64_t>(position) + root); }

 private:
  int wrap(std::int64_t value) const {
    if (value < 0) return static_cast<int>(value + rank_count);
    return static_cast<int>(value < rank_count ? value : value - rank_count);
  }
};

}  // namespace weft
