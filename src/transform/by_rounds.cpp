// SPDX-License-Identifier: BSD-3-Clause
#include "transform/by_rounds.hpp"

#include <algorithm>

#include "schedule/describe.hpp"

namespace weft {
namespace {

using Predecessors = std::vector<std::vector<TaskId>>;

bool waits_for(const std::vector<TaskId>& earlier, std::uint32_t task) {
  return std::find(earlier.begin(), earlier.end(), TaskId(task)) != earlier.end();
}

// Per task. What stands behind a join of the builder's is in a later round than what stands before.
std::vector<std::uint32_t> rounds_of_tasks(const Schedule& schedule, const Predecessors& earlier) {
  std::vector<std::uint32_t> rounds;
  std::uint32_t round = 0;
  const auto has_to_end = [&](TaskId task) {
    const TaskKind kind = schedule.tasks[task.value].kind;
    return rounds[task.value] == round && (is_message(kind) || is_node_level(kind));
  };
  for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task) {
    const TaskKind kind = schedule.tasks[task].kind;
    if (kind == TaskKind::kJoin) {
      rounds.push_back(round++);
      continue;
    }
    if (std::any_of(earlier[task].begin(), earlier[task].end(), has_to_end)) {
      ++round;
      for (std::uint32_t before = task; kind == TaskKind::kSend && before-- > 0;) {
        if (schedule.tasks[before].kind != TaskKind::kRecv || waits_for(earlier[task], before)) break;
        rounds[before] = round;
      }
    }
    rounds.push_back(round);
  }
  return rounds;
}

}  // namespace

Schedule by_rounds(const Schedule& schedule) {
  const Predecessors earlier = predecessors(schedule);
  const std::vector<std::uint32_t> rounds = rounds_of_tasks(schedule, earlier);
  Schedule result = schedule;
  result.algorithm += " by rounds";
  result.tasks.clear();

  std::vector<std::pair<TaskId, TaskId>> edges;
  std::vector<TaskId> place(schedule.tasks.size());
  std::uint32_t round = 0, round_begin = 0;  // where the join before it stands; 0 if there is none
  for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task) {
    if (schedule.tasks[task].kind == TaskKind::kJoin) continue;
    TaskId here(static_cast<std::uint32_t>(result.tasks.size()));
    if (rounds[task] != round) {
      for (std::uint32_t before = round_begin; before < here.value; ++before)
        edges.emplace_back(TaskId(before), here);
      result.tasks.push_back({.kind = TaskKind::kJoin});
      round = rounds[task];
      round_begin = here.value++;
    }
    place[task] = here;
    result.tasks.push_back(schedule.tasks[task]);
    if (round > 0) edges.emplace_back(TaskId(round_begin), here);
    for (const TaskId before : earlier[task])
      if (rounds[before.value] == round) edges.emplace_back(place[before.value], here);
  }
  set_edges(result, edges);
  return result;
}

}  // namespace weft
