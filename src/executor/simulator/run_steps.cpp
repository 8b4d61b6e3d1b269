// SPDX-License-Identifier: BSD-3-Clause
// Steps of groups that share memory. Who comes when is decided by events, in the order of time: so whoever
// comes last is the last.
#include <algorithm>

#include "base/mixed.hpp"
#include "executor/simulator/run.hpp"

namespace weft::simulator {

std::size_t Run::HashOfName::operator()(const MeetingName& name) const {
  std::uint64_t hash = mixed(name.first, std::uint64_t{name.size} << 32 | name.last);
  hash = mixed(hash, std::uint64_t{name.instance} << 32 | name.turn);
  return mixed(hash, std::uint64_t{name.slot} << 8 | name.lines);
}

Run::MeetingName Run::name_of(std::uint32_t rank, std::uint16_t slot, const ScriptTask& task,
                              const ScriptStep& step) const {
  return {.first = named(rank, slot, step.members.front()),
          .size = static_cast<std::uint32_t>(step.members.size()),
          .last = named(rank, slot, step.members.back()),
          .instance = role(rank, slot).instance,
          .turn = step.turn,
          .slot = slot,
          .lines = task.lines};
}

void Run::come_to_step(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  queue_.push({.at = players_[rank].free,
               .rank = rank,
               .task = task,
               .instance = role(rank, slot).instance,
               .slot = slot,
               .kind = EventKind::kArrives});
}

// A member that goes on at once does so here; those that wait are told when. A fan_out that nobody leads is
// opened by whoever has it among its errands, in the group or not.
void Run::arrive(const Event& event) {
  const ScriptTask& task = script_of(event.rank, event.slot).tasks[event.task];
  const ScriptStep& step = script_of(event.rank, event.slot).steps[static_cast<std::size_t>(task.peer)];
  const MeetingName name = name_of(event.rank, event.slot, task, step);
  const bool is_opener =
      task.kind == TaskKind::kFanOut && (step.leader == kLast ? task.errand != 0 : step.place == step.leader);
  Meeting& meeting = meetings_[name];
  most_meetings_ = std::max(most_meetings_, meetings_.size());
  meeting.has_come.resize(step.members.size());
  if (!is_opener || step.leader != kLast) meeting.has_come[static_cast<std::size_t>(step.place)] = true;
  meeting.is_open |= is_opener;
  meeting.expected = step.members.size() + (task.kind == TaskKind::kFanOut && step.leader == kLast ? 1 : 0);
  const bool is_full = ++meeting.come == meeting.expected;
  ++outcome_.tasks;
  bool passes = is_opener;
  if (task.kind == TaskKind::kFanIn && step.leader == kLast) {
    passes = true;
    Role& own = role(event.rank, event.slot);
    own.leads &= ~(1u << task.lines);
    if (is_full) own.leads |= 1u << task.lines;
  } else if (task.kind == TaskKind::kFanIn) {
    passes = step.place != step.leader;
  }
  if (!passes) meeting.waiting.emplace_back(event.rank, event.task);
  const Level level = distance_.nearest(static_cast<int>(name.first), static_cast<int>(name.last));
  tell_those_who_wait(meeting, event, event.at + setting_.machine.memory_at(level).line);
  if (is_full) meetings_.erase(name);
  if (passes) work_on(event.rank, event.slot, event.task, event.at);
}

// What the one who comes now says is seen at `seen`, and by itself at once.
void Run::tell_those_who_wait(Meeting& meeting, const Event& event, Time seen) {
  std::erase_if(meeting.waiting, [&](const auto& one) {
    const auto& [rank, task] = one;
    if (!is_over_for(rank, event.slot, task, meeting)) return false;
    queue_.push({.at = rank == event.rank ? std::max(event.at, meeting.seen) : std::max(seen, meeting.seen),
                 .rank = rank,
                 .task = task,
                 .instance = role(rank, event.slot).instance,
                 .slot = event.slot,
                 .kind = EventKind::kOpens});
    return true;
  });
  meeting.seen = std::max(meeting.seen, seen);
}

bool Run::is_over_for(std::uint32_t rank, std::uint16_t slot, std::uint32_t task,
                      const Meeting& meeting) const {
  const Script& script = script_of(rank, slot);
  const ScriptTask& what = script.tasks[task];
  if (what.kind == TaskKind::kFanOut) return meeting.is_open;
  if (!waits_for_some(what.kind)) return meeting.come == meeting.expected;
  const ScriptStep& step = script.steps[static_cast<std::size_t>(what.peer)];
  for (std::size_t place = 0; place < step.waits_for.size(); ++place)
    if (step.waits_for[place] && !meeting.has_come[place]) return false;
  return true;
}

void Run::open(const Event& event) { work_on(event.rank, event.slot, event.task, event.at); }

}  // namespace weft::simulator
