// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/findings.hpp"

#include <algorithm>

#include "schedule/describe.hpp"

namespace weft::verifier {

std::string Findings::name(Rank rank, TaskId task) const {
  const Schedule& schedule = schedules_[static_cast<std::size_t>(rank.value)];
  return fmt::format("task {} ({})", task.value, describe(schedule, schedule.tasks[task.value]));
}

std::string Findings::where(Rank rank, std::optional<TaskId> task) const {
  return task ? fmt::format("rank {}, {}: ", rank.value, name(rank, *task))
              : fmt::format("rank {}: ", rank.value);
}

std::vector<Finding> Findings::take() {
  for (std::size_t rule = 0; rule < counts_.size(); ++rule) {
    if (counts_[rule] <= kListed) continue;
    const auto last = std::find_if(list_.rbegin(), list_.rend(),
                                   [&](const Finding& f) { return f.rule == static_cast<Rule>(rule); });
    last->message += fmt::format(" (and {} more findings of {})", counts_[rule] - kListed,
                                 rule_name(static_cast<Rule>(rule)));
  }
  return std::move(list_);
}

}  // namespace weft::verifier
