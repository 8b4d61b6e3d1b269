// SPDX-License-Identifier: BSD-3-Clause
// KNomialTree: in round i everyone who has the message, positions 0 … k^i - 1, gives it to k-1 others.
//
//   k = 2, 7 positions          round 0   0 -> 1
//        0                      round 1   0 -> 2   1 -> 3
//      / | \                    round 2   0 -> 4   1 -> 5   2 -> 6
//     1  2  4
//    / \  \                     The parent lacks the position's highest digit in base k; children add one
//   3   5  6                    digit above it.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class KNomialTree {
 public:
  KNomialTree(int count, int radix) : count_(count), radix_(radix) {}

  // The parent of a position other than 0.
  int parent(int position) const {
    std::int64_t stride = 1;
    while (stride * radix_ <= position) stride *= radix_;
    return static_cast<int>(position % stride);
  }

  // The children in the order of the rounds in which they get the message.
  std::vector<int> children(int position) const {
    std::vector<int> children;
    for (std::int64_t stride = 1; position + stride < count_; stride *= radix_)
      if (stride > position)
        for (int digit = 1; digit < radix_ && position + digit * stride < count_; ++digit)
          children.push_back(static_cast<int>(position + digit * stride));
    return children;
  }

  int rounds() const {
    int rounds = 0;
    for (std::int64_t reached = 1; reached < count_; reached *= radix_) ++rounds;
    return rounds;
  }

 private:
  std::int64_t count_;
  std::int64_t radix_;
};

}  // namespace weft
