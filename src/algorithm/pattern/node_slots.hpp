// SPDX-License-Identifier: BSD-3-Clause
// NodeSlots: one place per rank in memory that all ranks of the call share: in the rank's own line if what it
// has to say fits there, so that one transfer of a cache line brings both the value and the news that it is
// there; else in a shared buffer, and the line only brings the news.
//
//   bytes <= 56    lines.0   | value 0  #0 | value 1  #1 | …            #r: rank r has arrived
//   else           lines.0   |          #0 |          #1 | …            shared.0   | value 0 | value 1 | …
#pragma once

#include <algorithm>
#include <vector>

#include "algorithm/pattern/bracket.hpp"
#include "schedule/builder.hpp"

namespace weft {

class NodeSlots {
 public:
  // Slots for the ranks of the call. In a frame with memory they are for the members, who may be fewer than
  // those that share it.
  NodeSlots(Builder& b, Bytes bytes)
      : bytes_(bytes),
        group_(b.group_of(b.members())),
        memory_(b.memory() ? *b.memory() : declare(b, group_, bytes)) {
    const std::vector<Rank>& owners = b.members_of(memory_.owners);
    for (const Rank member : b.members())
      owner_.push_back(static_cast<int>(std::find(owners.begin(), owners.end(), member) - owners.begin()));
  }

  // A line per owner, and, where lines are too short for `bytes`, a slot.
  static SlotMemory declare(Builder& b, GroupId owners, Bytes bytes) {
    SlotMemory memory{owners, b.lines(owners)};
    if (bytes <= kLineBytes) return memory;
    memory.stride = whole_lines(bytes);
    memory.shared = b.shared(owners, memory.stride * static_cast<int>(b.members_of(owners).size()));
    return memory;
  }

  static Range slot(const SlotMemory& memory, int owner, Bytes bytes) {
    return bytes <= kLineBytes ? memory.lines.part(kLineStride * owner, bytes)
                               : memory.shared.part(memory.stride * owner, bytes);
  }

  Range of(int place) const { return slot(memory_, owner_[static_cast<std::size_t>(place)], bytes_); }

  TaskId exchange(Builder& b) const { return b.exchange(memory_.lines, group_, memory_.shared); }
  TaskId fan_in(Builder& b, int leader) const {
    return b.fan_in(memory_.lines, group_, leader, memory_.shared);
  }
  TaskId fan_out(Builder& b, int leader) const {
    return b.fan_out(memory_.lines, group_, leader, memory_.shared);
  }

  // This rank's value is `own`, its slot or not; where that is `into`, it has to be the last.
  void combine(Builder& b, const Bracket& bracket, Range own, Range into) const {
    const auto value = [&](int place) { return place == b.self() ? own : of(place); };
    bracket.evaluate(
        b, into, bracket.room(b, into.size), [&](int place, Range at) { b.copy(value(place), at); }, value);
  }

 private:
  Bytes bytes_;
  GroupId group_;
  SlotMemory memory_;
  std::vector<int> owner_;  // per place: which owner of the memory
};

}  // namespace weft
