// SPDX-License-Identifier: BSD-3-Clause
#include "transform/in_order.hpp"

#include <cassert>

namespace weft {

Schedule in_order(Schedule schedule) {
  assert(message_count(schedule) == 0);
  const auto count = static_cast<std::uint32_t>(schedule.tasks.size());
  schedule.successors.clear();
  for (std::uint32_t task = 0; task < count; ++task) {
    schedule.tasks[task].successor_begin = task;
    if (task > 0) schedule.successors.emplace_back(task);
  }
  schedule.predecessor_count.assign(count, 1);
  if (count > 0) schedule.predecessor_count.front() = 0;
  return schedule;
}

}  // namespace weft
