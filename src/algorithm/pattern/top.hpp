// SPDX-License-Identifier: BSD-3-Clause
// Where a reduction up a tree ends: if the operator commutes, the tree starts at the root. If not, it starts
// at rank 0, whose result then travels to the root: the bracket is the same for every root.
#pragma once

#include "schedule/builder.hpp"

namespace weft {

inline int top_of(const Call& call) { return call.commutative ? call.root.value : 0; }

// The result of this rank's subtree goes to its parent, that of the top to the root.
inline void hand_up(Builder& b, int parent, Range result) {
  const int root = b.call().root.value;
  const int top = top_of(b.call());
  if (b.self() != top) b.send(parent, result);
  if (top == root) {
    if (b.self() == root) b.copy(result, b.output());
  } else if (b.self() == top) {
    b.send(root, result);
  } else if (b.self() == root) {
    b.recv(top, b.output());
  }
}

}  // namespace weft
