// SPDX-License-Identifier: BSD-3-Clause
// CellsInTurn: fragments that go one way between a root and the others, through sets of cells that are used
// in turn. Who leaves a fragment first waits until the one that lay there before has been taken.
//
// The steps that say so have a group and lines of their own, since ranks leave and take in different orders.
#pragma once

#include "schedule/builder.hpp"

namespace weft {

class CellsInTurn {
 public:
  enum class Taker { kRoot, kOthers };
  // For so many fragments in so many sets.
  CellsInTurn(Builder& b, int root, Taker taker, int sets, int fragments)
      : b_(b),
        group_(b.group(b.members())),
        lines_(b.lines(group_)),
        root_(root),
        taker_(taker),
        sets_(sets),
        fragments_(fragments) {}

  // Before fragment `f` is left in the set, by whoever leaves.
  void wait_for_room(int f, Range set) const {
    if (f >= sets_) step(set);
  }
  // When fragment `f` has been taken from the set, by whoever takes.
  void say_taken(int f, Range set) const {
    if (f + sets_ < fragments_) step(set);
  }

 private:
  void step(Range set) const {
    if (taker_ == Taker::kRoot) b_.fan_out(lines_, group_, root_, set);
    else b_.fan_in(lines_, group_, root_, set);
  }

  Builder& b_;
  GroupId group_;
  Range lines_;
  int root_;
  Taker taker_;
  int sets_, fragments_;
};

}  // namespace weft
