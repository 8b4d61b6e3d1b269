// SPDX-License-Identifier: BSD-3-Clause
// NodeMemory: what ranks of one node share for one call. All of them declare it alike, also those who take no
// part in a step on it.
//
//   lines   | #0 | #1 | #2 | …         a line per rank, in which it says that it has arrived (#)
//   room    | cell 0 | cell 1 | …      where ranks leave data for others
//
// Where every rank has a cell, and it is short, it lies in the rank's line, so that one transfer of a cache
// line brings both the data and the news that they are there.
//
//   cells of up to 56 bytes     lines   | cell 0  #0 | cell 1  #1 | …
//   longer ones                 lines   |         #0 |         #1 | …      room   | cell 0 | cell 1 | …
//
// Steps that may run side by side have lines of their own. A step orders what it covers: a rank that arrives
// has finished with what it read and wrote there before, and what it does there afterwards follows the
// arrival of those it waited for.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithm/pattern/bracket.hpp"
#include "schedule/builder.hpp"

namespace weft {

class NodeMemory {
 public:
  // For the ranks of the call (in a frame, of the subgroup): a cell of so many bytes for each.
  NodeMemory(Builder& b, Bytes cell) : NodeMemory(b, b.members(), 1, cell) {}
  // For the same: so many cells in the room.
  NodeMemory(Builder& b, int cells, Bytes largest)
      : NodeMemory(b, b.members(), b.rank_count() > 1 ? 1 : 0, Bytes(0)) {
    if (!is_alone()) add_room(cells, largest);
  }
  // For these ranks: lines for so many steps, and a cell for each rank; without steps nothing.
  NodeMemory(Builder& b, std::vector<Rank> owners, int steps, Bytes cell)
      : b_(b), owners_(std::move(owners)) {
    if (steps == 0) return;
    group_ = b.group_of(owners_);
    for (int step = 0; step < steps; ++step) lines_.push_back(b.lines(group_));
    cell_ = cell;
    if (cell > kLineBytes) add_room(static_cast<int>(owners_.size()), cell);
  }

  bool is_alone() const { return lines_.empty(); }  // there is nobody to share with
  const std::vector<Rank>& owners() const { return owners_; }

  Range lines(int step = 0) const { return lines_[static_cast<std::size_t>(step)]; }
  // A cell of the room.
  Range cell(int number, Bytes size) const { return room_.part(stride_ * number, size); }
  // So many cells, and what lies between them.
  Range cells(int first, int count) const { return room_.part(stride_ * first, stride_ * count); }
  // The cell of an owner; a short one is in the line that the owner writes in this step.
  Range of(Rank owner, int step, Bytes size) const {
    return size > kLineBytes ? cell(place_of(owner), size)
                             : lines(step).part(kLineStride * place_of(owner), size);
  }
  Range of(Rank owner, int step = 0) const { return of(owner, step, cell_); }
  Range of(int place, int step = 0) const { return of(b_.member(place), step); }
  // Where the owners' cells are.
  Range cells() const { return room_.size > Bytes(0) || is_alone() ? room_ : lines(); }
  // Another room, for whatever the owners agree on; steps cover it where they are told to.
  Range another_room(Bytes size) const { return b_.shared(group_, size); }

  // A step of all owners.
  void exchange() const {
    if (!is_alone()) b_.exchange(lines(), group_, room_);
  }
  // A step at which every owner waits for those alone who have parcels for it; or, where something has been
  // moved before, in later rounds, for those with whom it exchanges more than that. Requires several owners.
  TaskId deliver(Bytes moved = {}) const { return b_.deliver(lines(), group_, room_, moved); }
  // A step at which every owner waits for those before it.
  void prefix() const {
    if (!is_alone()) b_.prefix(lines(), group_, room_);
  }
  // Steps of members, who may be fewer, the ranks of the call if nobody is named. leader: a place among them.
  void fan_in(const std::vector<Rank>& members, int leader, int step, Range covers) const {
    b_.fan_in(lines(step), b_.group_of(members), leader, covers);
  }
  void fan_in(int leader, int step = 0) const { fan_in(b_.members(), leader, step, room_); }
  void fan_out(const std::vector<Rank>& members, int leader, int step, Range covers) const {
    b_.fan_out(lines(step), b_.group_of(members), leader, covers);
  }
  void fan_out(int leader, int step, Range covers) const { fan_out(b_.members(), leader, step, covers); }

 private:
  int place_of(Rank rank) const {
    return static_cast<int>(std::find(owners_.begin(), owners_.end(), rank) - owners_.begin());
  }
  void add_room(int cells, Bytes largest) {
    stride_ = cell_stride(largest);
    room_ = b_.shared(group_, stride_ * cells);
  }

  Builder& b_;
  std::vector<Rank> owners_;
  GroupId group_;
  std::vector<Range> lines_;  // per step
  Bytes cell_;                // of each owner
  Bytes stride_;              // from cell to cell of the room
  Range room_;
};

// Combines the values in the cells. This rank's is `own`, its cell or not; where that is `into`, it has to be
// the last.
inline void combine(Builder& b, const NodeMemory& node, const Bracket& bracket, Range own, Range into,
                    int step = 0) {
  const auto value = [&](int place) { return place == b.self() ? own : node.of(place, step); };
  bracket.evaluate(
      b, into, bracket.room(b, into.size), [&](int place, Range at) { b.copy(value(place), at); }, value);
}

// Everybody leaves its contribution in its cell, and the root combines them into its output. Its own it
// leaves only where the result would overwrite it.
inline void reduce_in_node(Builder& b, const NodeMemory& node, const Bracket& bracket, int step = 0) {
  const int root = b.call().root.value;
  const bool stays = b.self() == root && (!b.in_place() || root + 1 == b.rank_count());
  const Range own = stays ? b.contribution() : node.of(b.self(), step);
  b.copy(b.contribution(), own);
  node.fan_in(root, step);
  if (b.self() == root) combine(b, node, bracket, own, b.output(), step);
}

// The root leaves its contribution in this cell, and everybody takes it from there.
inline void bcast_in_node(Builder& b, const NodeMemory& node, Range cell, int step = 0) {
  const int root = b.call().root.value;
  if (b.self() == root) b.copy(b.contribution(), cell);
  node.fan_out(root, step, cell);
  if (b.self() != root) b.copy(cell, b.output());
}

}  // namespace weft
