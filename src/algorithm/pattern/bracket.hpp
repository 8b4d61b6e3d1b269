// SPDX-License-Identifier: BSD-3-Clause
// Brackets: in which order the values of all ranks are combined. Every one of them is a right fold of folds,
// because that is what reduce tasks give (see Fold), and keeps rank order.
//
//   fold         0 + (1 + (2 + 3))
//   groups, 2    (0 + 1) + (2 + 3)                           as recursive k-ing evaluates it
//   tree, 2      0 + ((1 + (2 + 3)) + (4 + (5 + 6)))         as a tree of ranges of ranks does
//
// A rank that can read all values evaluates any of them, with a place for a partial result per level.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/aligned_groups.hpp"
#include "algorithm/pattern/n_ary_tree.hpp"
#include "schedule/builder.hpp"

namespace weft {

class Bracket {
 public:
  static Bracket fold(int rank_count) {
    std::vector<Bracket> ranks;
    ranks.reserve(static_cast<std::size_t>(rank_count));
    for (int rank = 0; rank < rank_count; ++rank) ranks.push_back(Bracket(rank));
    return fold_of(std::move(ranks));
  }
  static Bracket groups(int rank_count, int radix) {
    const AlignedGroups groups(rank_count, radix);
    std::vector<Bracket> blocks;
    for (int block = 0; block < groups.blocks(); ++block) {
      std::vector<Bracket> members;
      for (const int rank : groups.block_members(block)) members.push_back(Bracket(rank));
      blocks.push_back(fold_of(std::move(members)));
    }
    while (blocks.size() > 1) {  // a round: radix neighbours become one
      std::vector<Bracket> joined;
      for (std::size_t at = 0; at < blocks.size(); at += static_cast<std::size_t>(radix))
        joined.push_back(fold_of({blocks.begin() + static_cast<std::ptrdiff_t>(at),
                                  blocks.begin() + static_cast<std::ptrdiff_t>(at) + radix}));
      blocks = std::move(joined);
    }
    return blocks.front();
  }
  static Bracket tree(int rank_count, int radix) { return subtree(NAryTree(rank_count, radix), 0); }

  // Partial results that have to be kept beside the one that is being made.
  int levels() const {
    int levels = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const bool is_put_aside = part + 1 < parts_.size() && !parts_[part].is_leaf();
      levels = std::max(levels, parts_[part].levels() + (is_put_aside ? 1 : 0));
    }
    return levels;
  }

  // Scratch for the partial results, of `size` bytes each.
  Range room(Builder& b, Bytes size) const { return levels() == 0 ? Range{} : b.scratch(size * levels()); }

  // into = the bracket. `put(rank, into)` places a rank's value there, `value(rank)` says where it may be
  // read; `aside` is room(). The last rank's value is placed first, straight into `into`.
  template <class Put, class ValueOf>
  void evaluate(Builder& b, Range into, Range aside, Put put, ValueOf value) const {
    if (is_leaf()) return put(rank_, into);
    parts_.back().evaluate(b, into, aside, put, value);
    for (std::size_t part = parts_.size() - 1; part-- > 0;) {
      const Bracket& left = parts_[part];
      if (left.is_leaf()) {
        b.reduce(value(left.rank_), into);
        continue;
      }
      const Range partial = aside.part(Bytes(0), into.size);
      left.evaluate(b, partial, aside.part(into.size, aside.size - into.size), put, value);
      b.reduce(partial, into);
    }
  }

 private:
  explicit Bracket(int rank) : rank_(rank) {}
  explicit Bracket(std::vector<Bracket> parts) : parts_(std::move(parts)) {}

  bool is_leaf() const { return parts_.empty(); }

  static Bracket subtree(const NAryTree& tree, int position) {
    std::vector<Bracket> parts{Bracket(position)};
    for (const int child : tree.node(position).children) parts.push_back(subtree(tree, child));
    return fold_of(std::move(parts));
  }
  static Bracket fold_of(std::vector<Bracket> parts) {
    return parts.size() == 1 ? parts.front() : Bracket(std::move(parts));
  }

  int rank_ = 0;
  std::vector<Bracket> parts_;  // none: a leaf
};

// The bracket that the parameters ask for. A pinned one is that of the algorithms that send messages:
// recursive k-ing, and for reduce the tree that begins at rank 0.
inline Bracket bracket_of(const Call& call, const Parameters& parameters) {
  if (parameters.bracketing == Bracketing::kFold) return Bracket::fold(call.rank_count);
  return call.collective == Collective::kReduce ? Bracket::tree(call.rank_count, parameters.radix)
                                                : Bracket::groups(call.rank_count, parameters.radix);
}

}  // namespace weft
