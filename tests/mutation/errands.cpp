// SPDX-License-Identifier: BSD-3-Clause
// What whoever arrives last does for the others, damaged in every way that invariant 5 of task.hpp forbids.
#include "schedule/errands.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "executor/verifier/verify.hpp"
#include "mutation/hand_built.hpp"

namespace weft::tests {
namespace {

// Two groups of two; the sum of each stays in its second member's line, that of all in line 0 of lines.2.
void climbing_allreduce(Builder& b) {
  const GroupId all = b.group(everybody(b));
  const Range lines = b.lines(all), upper = b.lines(all), result = b.lines(all);
  const auto slot = [&](Range of, int rank) { return of.part(kLineStride * rank, b.bytes()); };
  const int first = b.self() / 2 * 2;
  b.copy(b.contribution(), slot(lines, b.self()));
  b.fan_in(lines, b.group_of({Rank(first), Rank(first + 1)}), kLast);
  {
    const Builder::Errand group(b, lines);
    b.reduce(slot(lines, first), slot(lines, first + 1));
    b.fan_in(upper, b.group_of({Rank(0), Rank(2)}), kLast, lines);
    const Builder::Errand top(b, upper);
    b.reduce(slot(lines, 1), slot(lines, 3));
    b.copy(slot(lines, 3), slot(result, 0));
    b.fan_out(result, all, kLast);
  }
  b.fan_out(result, all, kLast);
  b.copy(slot(result, 0), b.output());
}

Schedules climbing() { return all_ranks(allreduce_call(4, false), climbing_allreduce); }

// The last task of a kind among the errands, or among this rank's own.
Task& last_task(Schedule& schedule, TaskKind kind, bool errand) {
  const auto at = std::find_if(schedule.tasks.rbegin(), schedule.tasks.rend(), [&](const Task& task) {
    return task.kind == kind && task.is_errand() == errand;
  });
  if (at == schedule.tasks.rend()) std::abort();
  return *at;
}

struct Damage {
  const char* name;
  Rule rule;
  void (*apply)(Schedules& schedules);
};

const std::vector<Damage>& damages() {
  static const std::vector<Damage> all = {
      {"one member lists another errand", Rule::kNodeTask,
       [](Schedules& s) { last_task(s[1], TaskKind::kReduce, true).source_offset += Bytes(8); }},
      {"one member lists no errand", Rule::kNodeTask,
       [](Schedules& s) {
         for (Task& task : s[3].tasks)
           if (task.errand == BufferId(3)) task.kind = TaskKind::kJoin;
       }},
      {"an errand writes a member's output", Rule::kNodeTask,
       [](Schedules& s) {
         for (Schedule& schedule : s) {
           Task& copy = last_task(schedule, TaskKind::kCopy, true);
           copy.target = kOutput;
           copy.target_offset = Bytes(0);
         }
       }},
      {"an errand is led by somebody", Rule::kNodeTask,
       [](Schedules& s) {
         for (Schedule& schedule : s) last_task(schedule, TaskKind::kFanIn, true).peer = 0;
       }},
      {"an errand belongs to a fan_in that somebody leads", Rule::kNodeTask,
       [](Schedules& s) {
         for (Schedule& schedule : s) last_task(schedule, TaskKind::kFanIn, false).peer = 0;
       }},
      {"nobody opens what is waited for", Rule::kNodeTask,
       [](Schedules& s) {
         for (Schedule& schedule : s) last_task(schedule, TaskKind::kFanOut, true).kind = TaskKind::kJoin;
       }},
      {"a member takes the result without waiting", Rule::kNodeTask,
       [](Schedules& s) { last_task(s[2], TaskKind::kFanOut, false).kind = TaskKind::kJoin; }},
      {"values are combined before they are counted", Rule::kNodeTask,
       [](Schedules& s) {
         for (Schedule& schedule : s) {
           const TaskId fan_in = nth(schedule, TaskKind::kFanIn);
           for (const auto& [from, to] : edges_of(schedule))
             if (from == fan_in) drop_edge(schedule, from, to);
         }
       }},
      {"it is not clear for whom the last arriver goes on", Rule::kNodeTask,
       [](Schedules& s) {
         for (Schedule& schedule : s)
           for (Group& group : schedule.groups)
             if (group.members == std::vector{Rank(0), Rank(2)}) group.members = everybody_of(4);
       }},
      {"a group's sum is left out", Rule::kWrongResult,
       [](Schedules& s) {
         for (Schedule& schedule : s) last_task(schedule, TaskKind::kReduce, true).kind = TaskKind::kJoin;
       }},
  };
  return all;
}

TEST(Errands, are_plain_schedules_once_it_is_chosen_who_is_last) {
  const Schedules schedules = climbing();
  EXPECT_EQ(last_arriver_choices(schedules), 4);
  const Report report = verify(schedules);
  for (const Finding& finding : report.findings) ADD_FAILURE() << finding.message;
  EXPECT_EQ(report.bracket, "((0+1)+(2+3))");
  const Schedules chosen = with_last_arrivers(schedules, 3);  // the second of each group, the second group
  EXPECT_FALSE(has_errands(chosen));
  const auto reductions = [&](std::size_t rank) {
    return std::count_if(chosen[rank].tasks.begin(), chosen[rank].tasks.end(),
                         [](const Task& task) { return task.kind == TaskKind::kReduce; });
  };
  EXPECT_EQ(reductions(0), 0);
  EXPECT_EQ(reductions(1), 1);  // its group's
  EXPECT_EQ(reductions(3), 2);  // and the top
}

TEST(Errands, the_verifier_objects_to_every_damage) {
  for (const Damage& damage : damages()) {
    Schedules schedules = climbing();
    damage.apply(schedules);
    const Report report = verify(schedules);
    std::string found;
    for (const Finding& finding : report.findings)
      found += "\n  " + std::string(rule_name(finding.rule)) + ": " + finding.message;
    EXPECT_TRUE(std::any_of(report.findings.begin(), report.findings.end(),
                            [&](const Finding& finding) { return finding.rule == damage.rule; }))
        << damage.name << found;
  }
}

}  // namespace
}  // namespace weft::tests
