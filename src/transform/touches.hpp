// SPDX-License-Identifier: BSD-3-Clause
// Touches: which tasks may read or write a range, found without looking at all of them. Each buffer is cut
// into cells where ranges begin, and a cell knows the tasks that touch it. Where many ranges lie across many
// cells these are made longer, so that the memory stays proportional to the number of tasks.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

class Touches {
 public:
  explicit Touches(const Schedule& schedule);

  // The tasks that touch the range, in order, each once; perhaps with others that only touch what is near.
  // Valid until a task is added, or the room is used for something else.
  std::span<const std::uint32_t> of(Range range, std::vector<std::uint32_t>& room) const;
  // From now on the task touches that as well. Behind the schedule's buffers there may be one whose ranges
  // lie apart, and come in their order.
  void add(std::uint32_t task, Range range);

 private:
  struct Cell {
    Bytes begin;  // up to that of the next one, the last without end; the first begins nowhere
    std::vector<std::uint32_t> tasks;
  };
  using Cells = std::vector<Cell>;
  using Places = std::pair<std::size_t, std::size_t>;  // the first, and one behind the last

  static Places places_of(const Cells& cells, Range range);
  void cut(const Schedule& schedule, std::size_t every);
  std::size_t touched_cells(const Schedule& schedule) const;

  std::vector<Cells> buffers_;
};

}  // namespace weft
