// SPDX-License-Identifier: BSD-3-Clause
// Pool: one rank's arena, as memory for communicators. What a communicator has had, and all its members have
// left, goes to the next of the same shape as it is: the arrivals there go on where they ended.
//
// One thread at a time per Pool; the members of what it granted leave at any time.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "node/area.hpp"
#include "node/arena.hpp"

namespace weft::node {

// A communicator's memory: one area for its blocking operations and, behind it, one for the others.
struct Grant {
  AreaShape shape;
  Bytes offset;                   // in the segment
  std::uint64_t first_block = 1;  // of arrivals: greater than any that is there

  Bytes bytes() const { return shape.size() * 2; }
  std::array<Area, 2> areas(const Segment& segment) const {
    std::byte* const begin = segment.memory() + offset.value;
    return {Area(begin, shape), Area(begin + shape.size().value, shape)};
  }
};

// A member's last word. `next_block`: of the arrivals that it would have made next in either area; none if
// something went wrong, so that nobody knows what is there.
void leave(const Area& first, int member, std::optional<std::uint64_t> next_block);

class Pool {
 public:
  Pool(const Segment& segment, Bytes begin, Bytes size)
      : segment_(&segment), arena_(segment, begin, size), size_(size) {}

  std::optional<Grant> take(const AreaShape& shape);
  // Its members are leaving.
  void give_back(const Grant& grant) { left_.push_back(grant); }
  // As far as it is noticed that all have left.
  Bytes taken();

 private:
  std::optional<Grant> take_again(const AreaShape& shape);
  bool leaves_room_for_lines(const Grant& grant) const;
  void take_back_what_is_left();

  const Segment* segment_;
  Arena arena_;
  Bytes size_;
  std::vector<Grant> left_;
};

}  // namespace weft::node
