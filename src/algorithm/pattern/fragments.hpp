// SPDX-License-Identifier: BSD-3-Clause
// Fragments: a message, or a part of one, cut at fixed multiples of bytes, so that it goes through memory
// that is smaller than it, or along a chain.
#pragma once

#include <algorithm>

#include "schedule/builder.hpp"

namespace weft {

class Fragments {
 public:
  // `most` bytes each, and whole elements; the last one is what is left.
  Fragments(Bytes total, Bytes most, Bytes element)
      : total_(total), each_(std::max(most / element, std::int64_t{1}) * element) {}

  int count() const { return static_cast<int>((total_ + each_ - Bytes(1)) / each_); }
  Bytes offset(int fragment) const { return each_ * fragment; }
  Bytes size(int fragment) const { return std::min(each_, total_ - offset(fragment)); }
  Bytes largest() const { return std::min(each_, total_); }
  Bytes total() const { return total_; }
  // The fragment of this range, which may be shorter, so that the last one is, or is empty.
  Range of(Range whole, int fragment) const {
    const Bytes begin = std::min(offset(fragment), whole.size);
    return whole.part(begin, std::min(each_, whole.size - begin));
  }

 private:
  Bytes total_, each_;
};

// The size of the largest block in a range where the blocks of all ranks lie side by side.
inline Bytes largest_block(const Builder& b, Range blocks) {
  Bytes largest;
  for (int rank = 0; rank < b.rank_count(); ++rank)
    largest = std::max(largest, b.blocks(blocks, rank, rank + 1).size);
  return largest;
}

// The fragments of a message that goes from rank to rank: at most kMostOnChain, so that message tags can tell
// those of a pair apart.
inline constexpr int kMostOnChain = 4096;

inline Fragments fragments_of_chain(Bytes total, Bytes most, Bytes element) {
  const std::int64_t least = (total / element + kMostOnChain - 1) / kMostOnChain;
  return {total, std::max(most, element * least), element};
}

}  // namespace weft
