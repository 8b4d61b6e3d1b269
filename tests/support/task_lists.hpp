// SPDX-License-Identifier: BSD-3-Clause
// Task lists of all ranks of a call, and calls and ways of lowering to make them of.
#pragma once

#include <gtest/gtest.h>

#include "support/case.hpp"
#include "transform/lower.hpp"
#include "transform/raise.hpp"

namespace weft::tests {

inline std::vector<TaskList> lower_all(const std::vector<Schedule>& schedules, const Lowering& lowering) {
  std::vector<TaskList> lists;
  for (const Schedule& schedule : schedules) {
    auto list = lower(schedule, lowering);
    EXPECT_TRUE(list) << list.error();
    if (list) lists.push_back(std::move(*list));
  }
  return lists;
}

inline std::vector<Schedule> raise_all(const std::vector<TaskList>& lists) {
  std::vector<Schedule> schedules;
  for (const TaskList& list : lists) {
    auto schedule = raise(list);
    EXPECT_TRUE(schedule) << schedule.error();
    if (schedule) schedules.push_back(std::move(*schedule));
  }
  return schedules;
}

// Damages it.
inline void erase(TaskList& list, std::uint32_t at) {
  list.tasks.erase(list.tasks.begin() + at);
  for (std::uint32_t& end : list.ends) end -= end > at;
}

inline bool has_groups(const std::vector<Schedule>& schedules) {
  return std::any_of(schedules.begin(), schedules.end(), [](const Schedule& s) { return !s.groups.empty(); });
}

// "" or what the verifier says first.
inline std::string findings_of(const std::vector<Schedule>& schedules) {
  if (schedules.empty()) return "no schedules";
  const Report report = verify(schedules);
  return report.proved() ? "" : report.findings.front().message;
}

// In odd and even turns: different roots, lengths, operators.
inline std::vector<Call> list_calls(Collective collective, int ranks) {
  std::vector<Call> calls;
  const bool reduces = is_reduction(collective);
  for (const bool commutative : {true, false}) {
    if (!commutative && !reduces) continue;
    const int count = commutative ? ranks + 1 : 67;
    calls.push_back({.collective = collective,
                     .rank_count = ranks,
                     .root = Rank(is_rooted(collective) ? ranks / 2 : 0),
                     .bytes = collective == Collective::kBarrier ? Bytes(0)
                              : reduces                          ? element_of(commutative) * count
                                                                 : Bytes(count),
                     .element_bytes = reduces ? element_of(commutative) : Bytes(1),
                     .commutative = commutative});
  }
  return calls;
}

// Windows and fragments so short that there are several of them.
inline Parameters list_parameters(const Algorithm& algorithm, std::uint64_t seed) {
  return {
      .radix = algorithm.has_radix ? 2 + static_cast<int>(seed % 3) : 2, .window = 3, .fragment = Bytes(64)};
}

inline std::vector<Lowering> some_lowerings(std::uint64_t seed) {
  const Bytes longest(seed % 2 == 0 ? 0 : 8192);
  const auto form = seed % 4 < 2 ? QueueForm::kManagementQueue : QueueForm::kWaitsInSendQueues;
  return {
      {.form = QueueForm::kWaitsInSendQueues, .longest_mailbox = longest},
      {.form = QueueForm::kManagementQueue, .longest_mailbox = longest},
      {.form = form, .longest_mailbox = longest, .most_tasks = 2 + static_cast<std::uint32_t>(seed % 13)}};
}

inline std::string name_of(const Lowering& lowering) {
  return std::string(lowering.form == QueueForm::kManagementQueue ? "managed" : "waits in send queues") +
         " mailboxes up to " + std::to_string(lowering.longest_mailbox.value) + " at most " +
         std::to_string(lowering.most_tasks) + " tasks";
}

inline std::vector<const Algorithm*> catalog_pointers() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalog())
    if (!algorithm.within_node) all.push_back(&algorithm);
  return all;
}

inline std::string name_of_list_algorithm(const testing::TestParamInfo<const Algorithm*>& info) {
  return std::string(name_of(info.param->collective)) + "_" + std::string(info.param->name);
}

}  // namespace weft::tests
