// SPDX-License-Identifier: BSD-3-Clause
// KNomialRanges: the k-nomial tree whose subtrees are ranges of positions. What a subtree has combined, or
// what it is to get, lies side by side.
//
//   k = 2, 7 positions         0 | 1 | 2 3 | 4 5 6
//        0
//      / | \                   The parent lacks the position's lowest digit in base k; children add one digit
//     1  2  4                  below it. KNomialTree is the other way round: it hands a message out in the
//        |  |\                 fewest rounds, but its subtrees interleave.
//        3  5 6
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {

class KNomialRanges {
 public:
  KNomialRanges(int count, int radix) : count_(count), radix_(radix) {}

  // A position's subtree are the positions from it to before its end.
  int end(int position) const {
    return static_cast<int>(std::min<std::int64_t>(count_, position + stride(position)));
  }
  // The parent of a position other than 0.
  int parent(int position) const {
    const std::int64_t digit = stride(position);
    return static_cast<int>(position - position / digit % radix_ * digit);
  }
  // In the order of positions: first comes the position itself, then its first child's subtree, then the next
  // child's.
  std::vector<int> children(int position) const {
    std::vector<int> children;
    for (std::int64_t digit = 1; digit < stride(position); digit *= radix_)
      for (int times = 1; times < radix_ && position + times * digit < count_; ++times)
        children.push_back(static_cast<int>(position + times * digit));
    return children;
  }
  int depth(int position) const {
    int depth = 0;
    for (; position != 0; position = parent(position)) ++depth;
    return depth;
  }
  int depth() const {
    int most = 0;
    for (int position = 0; position < count_; ++position) most = std::max(most, depth(position));
    return most;
  }

 private:
  // k^i for the lowest digit i that is not 0; for the root a power that is beyond all positions.
  std::int64_t stride(int position) const {
    std::int64_t stride = 1;
    while (position == 0 ? stride < count_ : position % (stride * radix_) == 0) stride *= radix_;
    return stride;
  }

  std::int64_t count_;
  std::int64_t radix_;
};

}  // namespace weft
