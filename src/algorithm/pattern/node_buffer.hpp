// SPDX-License-Identifier: BSD-3-Clause
// NodeBuffer: memory of the node cut into equal pieces, for messages that go through it fragment by fragment,
// and the lines by which the ranks of the call keep in step.
//
// Every step covers the whole buffer. So a rank that arrives has finished with what it read and wrote before,
// and what it does afterwards follows the arrival of those it waited for.
#pragma once

#include "schedule/builder.hpp"

namespace weft {

class NodeBuffer {
 public:
  NodeBuffer(Builder& b, int pieces, Bytes largest)
      : group_(b.group_of(b.members())),
        lines_(b.lines(group_)),
        stride_(whole_lines(largest)),
        memory_(b.shared(group_, stride_ * pieces)) {}

  GroupId group() const { return group_; }
  Range piece(int number, Bytes size) const { return memory_.part(stride_ * number, size); }
  void exchange(Builder& b) const { b.exchange(lines_, group_, memory_); }
  void fan_out(Builder& b, int leader, Range covers) const { b.fan_out(lines_, group_, leader, covers); }

 private:
  GroupId group_;
  Range lines_;
  Bytes stride_;
  Range memory_;
};

}  // namespace weft
