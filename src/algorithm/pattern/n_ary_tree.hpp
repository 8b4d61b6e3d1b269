// SPDX-License-Identifier: BSD-3-Clause
// NAryTree: every node heads a range of positions and hands the rest of it, cut into n even parts, to its
// children. So each subtree is a range, and folding node, child, child … keeps the order of positions.
//
//   n = 2, 7 positions      0 | 1 2 3 | 4 5 6
//        0
//       / \                 depth  d(1) = 0,  d(size) = 1 + d(ceil((size - 1) / n)):  log_n of the count
//      1   4
//     /|   |\               Positions as in a heap (children n*i+1 … n*i+n) would not do: a heap's
//    2 3   5 6              subtrees interleave.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithm/pattern/even_parts.hpp"

namespace weft {

class NAryTree {
 public:
  struct Vertex {
    int parent = -1;  // the root has none
    std::vector<int> children;
  };

  NAryTree(int count, int radix) : count_(count), radix_(radix) {}

  // Cost: one step per level.
  Vertex node(int position) const {
    Vertex node;
    int first = 0;
    int end = count_;
    while (first != position) {
      const int part = part_of(first, end, position);
      const int begin = begin_of(first, end, part);
      end = begin_of(first, end, part + 1);
      node.parent = first;
      first = begin;
    }
    for (int part = 0; part < parts(first, end); ++part) node.children.push_back(begin_of(first, end, part));
    return node;
  }

  int depth() const {
    int depth = 0;
    for (int size = count_; size > 1; size = (size - 1) / radix_ + ((size - 1) % radix_ != 0)) ++depth;
    return depth;
  }

 private:
  int parts(int first, int end) const { return std::min(radix_, end - first - 1); }

  // The positions after `first`.
  EvenParts behind(int first, int end) const { return {end - first - 1, parts(first, end)}; }
  int begin_of(int first, int end, int part) const { return first + 1 + behind(first, end).begin(part); }
  int part_of(int first, int end, int position) const {
    return behind(first, end).part_of(position - first - 1);
  }

  int count_;
  int radix_;
};

}  // namespace weft
