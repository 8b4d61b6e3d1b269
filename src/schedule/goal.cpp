// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/goal.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "base/scanner.hpp"
#include "schedule/describe.hpp"

namespace weft {
namespace {

// "" or why the task cannot be said.
std::string problem_of(const Schedule& schedule, std::size_t number) {
  const Task& task = schedule.tasks[number];
  if (!is_node_level(task.kind) && !task.is_errand()) return "";
  return fmt::format(
      "rank {}, task {} ({}) is a step of ranks that share memory, for which GOAL has no word: choose a flat "
      "hierarchy, or an algorithm that follows none",
      schedule.self.value, number, describe(schedule, task));
}

long long time_of(const Task& task, const GoalCosts& costs) {
  const double per_byte = task.kind == TaskKind::kCopy     ? costs.copy_ns_per_byte
                          : task.kind == TaskKind::kReduce ? costs.reduce_ns_per_byte
                                                           : 0;
  return std::llround(per_byte * static_cast<double>(task.size.value));
}

void append_task(std::string& out, std::size_t number, const Task& task, const GoalCosts& costs) {
  const auto end = std::back_inserter(out);
  if (is_message(task.kind)) {
    const bool sends = task.kind == TaskKind::kSend;
    const Bytes size = task.size > Bytes(0) ? task.size : costs.signal_bytes;
    fmt::format_to(end, "  l{}: {} {}b {} {} tag {}\n", number, sends ? "send" : "recv", size.value,
                   sends ? "to" : "from", task.peer, task.ordinal);
  } else {
    fmt::format_to(end, "  l{}: calc {}\n", number, time_of(task, costs));
  }
}

std::string text_of(const GoalCosts& costs) {
  if (costs.copy_ns_per_byte == 0 && costs.reduce_ns_per_byte == 0)
    return "// copies and reductions take no time\n";
  return fmt::format("// a byte takes {} ns to copy and {} ns to reduce\n", costs.copy_ns_per_byte,
                     costs.reduce_ns_per_byte);
}

}  // namespace

Result<std::string> goal(std::span<const Schedule> schedules, const GoalCosts& costs) {
  std::string out;
  if (!schedules.empty()) {
    out += fmt::format("// {}, {}\n", describe(schedules.front().call), quote(schedules.front().algorithm));
    out += text_of(costs);
  }
  out += fmt::format("num_ranks {}\n", schedules.size());
  for (const Schedule& schedule : schedules) {
    out += fmt::format("\nrank {} {{\n", schedule.self.value);
    for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
      if (std::string problem = problem_of(schedule, t); !problem.empty()) return Error{std::move(problem)};
      append_task(out, t, schedule.tasks[t], costs);
    }
    for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t)
      for (const TaskId next : schedule.successors_of(TaskId(t)))
        fmt::format_to(std::back_inserter(out), "  l{} requires l{}\n", next.value, t);
    out += "}\n";
  }
  return out;
}

}  // namespace weft
