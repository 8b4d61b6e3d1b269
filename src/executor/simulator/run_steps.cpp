// SPDX-License-Identifier: BSD-3-Clause
// Steps of groups that share memory. Who comes when is decided by events, in the order of time: so whoever
// comes last is the last.
#include <algorithm>

#include "base/mixed.hpp"
#include "executor/simulator/run.hpp"

namespace weft::simulator {

std::size_t Run::HashOfName::operator()(const MeetingName& name) const {
  std::uint64_t hash = mixed(name.shape, name.first);
  hash = mixed(hash, std::uint64_t{name.instance} << 32 | name.turn);
  return mixed(hash, std::uint64_t{name.slot} << 8 | name.lines);
}

Run::MeetingName Run::name_of(std::uint32_t rank, std::uint16_t slot, const ScriptTask& task,
                              const ScriptStep& step) const {
  return {.shape = step.shape,
          .first = named(rank, slot, step.members.front()),
          .instance = role(rank, slot).instance,
          .turn = step.turn,
          .slot = slot,
          .lines = task.lines};
}

void Run::come_to_step(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  queue_.push({.at = free_of(rank, slot, task),
               .rank = rank,
               .task = task,
               .instance = role(rank, slot).instance,
               .slot = slot,
               .kind = EventKind::kArrives});
}

// A fan_out that nobody leads is opened by whoever has it among its errands, in the group or not.
void Run::arrive(const Event& event) {
  const ScriptTask& task = script_of(event.rank, event.slot).tasks[event.task];
  const ScriptStep& step = script_of(event.rank, event.slot).steps[static_cast<std::size_t>(task.peer)];
  const bool is_by_last = step.leader == kLast && has_leader(task.kind);
  const bool leads = is_by_last ? task.errand != 0 : step.place == step.leader;
  const bool opens = task.kind == TaskKind::kFanOut && leads;
  const MeetingName name = name_of(event.rank, event.slot, task, step);
  Meeting& meeting = meetings_[name];
  most_meetings_ = std::max(most_meetings_, meetings_.size());
  if (meeting.come == 0) {
    const std::uint32_t first = named(event.rank, event.slot, step.members.front());
    const std::uint32_t last = named(event.rank, event.slot, step.members.back());
    const Level level = distance_.nearest(static_cast<int>(first), static_cast<int>(last));
    meeting.line = setting_.machine.memory_at(level).line;
    meeting.came.assign(step.members.size(), kNever);
    meeting.expected = step.members.size() + (task.kind == TaskKind::kFanOut && is_by_last ? 1 : 0);
  }
  if (!opens || !is_by_last) meeting.came[static_cast<std::size_t>(step.place)] = event.at;
  ++meeting.come;
  meeting.before_last = meeting.last.at;
  meeting.last = {event.at, event.rank, event.task};
  if (opens) meeting.opener = meeting.last;
  const bool is_full = meeting.come == meeting.expected;
  const bool passes = task.kind == TaskKind::kFanIn && (is_by_last ? !is_full : !leads);
  if (task.kind == TaskKind::kFanIn && is_by_last && is_full)
    role(event.rank, event.slot).leads |= (1u << task.lines) & 0x7fu;
  if (passes || opens) end_step(meeting.last, event.slot, event.at);
  else meeting.waiting.push_back(meeting.last);
  tell_those_who_wait(meeting, event.slot);
  // To later rounds of a delivery only those come who wait for one another.
  const bool is_later = task.kind == TaskKind::kDeliver && step.leader > 0;
  if (is_later ? meeting.waiting.empty() : is_full) meetings_.erase(name);
}

void Run::tell_those_who_wait(Meeting& meeting, std::uint16_t slot) {
  std::erase_if(meeting.waiting, [&](const Visit& visit) {
    const Time over = over_for(visit, slot, meeting);
    if (over != kNever) end_step(visit, slot, over);
    return over != kNever;
  });
}

// When a member that waits has seen all those for whom it does; kNever: they have not all come.
Time Run::over_for(const Visit& visit, std::uint16_t slot, const Meeting& meeting) const {
  const Script& script = script_of(visit.rank, slot);
  const ScriptTask& what = script.tasks[visit.task];
  if (what.kind == TaskKind::kFanOut) {
    if (meeting.opener.at == kNever || meeting.opener.rank == visit.rank)
      return meeting.opener.at == kNever ? kNever : std::max(visit.at, meeting.opener.at);
    return std::max(visit.at, meeting.opener.at + meeting.line);
  }
  if (!waits_for_some(what.kind)) {
    if (meeting.come < meeting.expected) return kNever;
    if (meeting.last.rank != visit.rank) return meeting.last.at + meeting.line;
    return meeting.come == 1 ? visit.at : std::max(visit.at, meeting.before_last + meeting.line);
  }
  const ScriptStep& step = script.steps[static_cast<std::size_t>(what.peer)];
  Time over = visit.at;
  for (std::size_t place = 0; place < step.waits_for.size(); ++place) {
    if (!step.waits_for[place] || static_cast<std::int32_t>(place) == step.place) continue;
    if (meeting.came[place] == kNever) return kNever;
    over = std::max(over, meeting.came[place] + meeting.line);
  }
  return over;
}

void Run::end_step(const Visit& visit, std::uint16_t slot, Time at) {
  ++outcome_.tasks;
  ++outcome_.steps;
  if (observer_ != nullptr) observer_->did(static_cast<int>(visit.rank), slot, visit.task, visit.at, at);
  queue_.push({.at = at,
               .rank = visit.rank,
               .task = visit.task,
               .instance = role(visit.rank, slot).instance,
               .slot = slot,
               .kind = EventKind::kOpens});
}

}  // namespace weft::simulator
