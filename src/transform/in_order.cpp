// SPDX-License-Identifier: BSD-3-Clause
#include "transform/in_order.hpp"

#include <cassert>

namespace weft {

Schedule in_order(Schedule schedule) {
  assert(message_count(schedule) == 0);
  std::vector<std::pair<TaskId, TaskId>> chain;
  for (std::uint32_t task = 1; task < schedule.tasks.size(); ++task)
    chain.emplace_back(TaskId(task - 1), TaskId(task));
  set_edges(schedule, chain);
  return schedule;
}

}  // namespace weft
