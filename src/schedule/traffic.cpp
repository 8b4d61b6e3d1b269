// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic.hpp"

#include <algorithm>

namespace weft {

std::vector<Traffic> traffic(std::span<const Schedule> schedules, const Topology& topology) {
  std::vector<Traffic> levels;
  if (topology.layers().front().level != topology.root()) levels.push_back({topology.root(), 0, Bytes(0)});
  for (const Topology::Layer& layer : topology.layers()) levels.push_back({layer.level, 0, Bytes(0)});
  for (const Schedule& schedule : schedules)
    for (const Task& task : schedule.tasks) {
      if (task.kind != TaskKind::kSend || task.peer < 0 || task.peer >= topology.rank_count()) continue;
      const Level shared = topology.nearest(schedule.self, Rank(task.peer));
      const auto entry =
          std::find_if(levels.begin(), levels.end(), [&](const Traffic& t) { return t.level == shared; });
      ++entry->messages;
      entry->bytes += task.size;
    }
  return levels;
}

}  // namespace weft
