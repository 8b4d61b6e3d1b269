// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <utility>

#include "executor/simulator/script.hpp"
#include "schedule/errands.hpp"

namespace weft::simulator {
namespace {

// The lines buffers of a schedule, from 1: all members of a group have them in the same order.
std::vector<std::uint8_t> numbers_of_lines(const Schedule& schedule) {
  std::vector<std::uint8_t> numbers(schedule.buffers.size(), 0);
  std::uint8_t next = 0;
  for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
    if (schedule.buffers[i].role == BufferRole::kLines) numbers[i] = ++next;
  return numbers;
}

// raise() makes two copies of a task list's write to a window: into a buffer, and out of it. Says for each
// buffer of the schedule whether it is one of these, since the adapter does both copies as one write.
std::vector<bool> buffers_in_flight(const Schedule& schedule) {
  std::vector<bool> in_flight(schedule.buffers.size(), false);
  for (const Task& task : schedule.tasks)
    if (writes_window(schedule, task) && schedule.buffers[task.source.value].role == BufferRole::kScratch)
      in_flight[task.source.value] = true;
  return in_flight;
}

// As the turn of a fan_out that nobody leads.
constexpr std::uint32_t kOpening = 0xffffffff;

ScriptStep step_of(const Schedule& schedule, const Task& task, std::uint32_t turn) {
  const std::vector<Rank>& members = schedule.groups[task.ordinal].members;
  ScriptStep step{.members = {}, .leader = task.peer, .turn = turn};
  const int acting = task.is_errand() ? acts_for(schedule, task).value_or(-1) : -1;
  for (const Rank member : members) {
    if (member == schedule.self && acting < 0) step.place = static_cast<std::int32_t>(step.members.size());
    step.members.push_back(member.value);
    if (waits_for_some(task.kind)) step.waits_for.push_back(waits_for(schedule, task, member));
  }
  if (acting >= 0) step.place = acting;
  return step;
}

// Per task, all those that have to be over before it: bit by bit.
class Ancestors {
 public:
  explicit Ancestors(std::size_t tasks) : words_((tasks + 63) / 64), bits_(tasks * words_) {}
  void add(std::uint32_t before, std::uint32_t after) {
    for (std::size_t w = 0; w < words_; ++w) bits_[after * words_ + w] |= bits_[before * words_ + w];
    bits_[after * words_ + before / 64] |= std::uint64_t{1} << before % 64;
  }
  bool has(std::uint32_t before, std::uint32_t after) const {
    return (bits_[after * words_ + before / 64] >> before % 64 & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// Drops edges of short messages that make no difference, so that schedules which differ in such edges alone,
// as those of the ranks of a recursive doubling do, are one script.
//
// A send's buffer is free as soon as the task has run, and it runs as soon as it is ready: who could not
// begin earlier anyway need not wait for it. And what comes is taken in when it comes, whether its place is
// free or not: if all that uses it waits for the same, the receive need not.
class Simplifier {
 public:
  Simplifier(Part& part, Bytes eager)
      : part_(part), eager_(eager), before_(part.tasks.size()), held_(before_) {
    for (const auto& [first, second] : part.edges) before_[second].push_back(first);
  }

  void simplify() {
    part_.edges.clear();
    for (std::uint32_t task = 0; task < part_.tasks.size(); ++task) {
      if (is_short(task, TaskKind::kRecv)) held_[task] = before_[task];
      else keep_what_is_needed(task);
    }
    std::sort(part_.edges.begin(), part_.edges.end());
  }

 private:
  bool is_short(std::uint32_t task, TaskKind kind) const {
    return part_.tasks[task].kind == kind && part_.tasks[task].size <= eager_;
  }
  void keep(std::uint32_t one, std::uint32_t task) {
    ancestors_.add(one, task);
    part_.edges.emplace_back(one, task);
  }
  bool has_all(const std::vector<std::uint32_t>& ones, std::uint32_t task) const {
    return std::all_of(ones.begin(), ones.end(), [&](std::uint32_t one) { return waits_for(task, one); });
  }
  // Whether it does without an edge between the two.
  bool waits_for(std::uint32_t task, std::uint32_t one) const {
    if (ancestors_.has(one, task)) return true;
    return is_short(one, TaskKind::kSend) && has_all(before_[one], task);
  }

  void keep_what_is_needed(std::uint32_t task) {
    const std::vector<std::uint32_t>& all = before_[task];
    for (const std::uint32_t one : all)
      if (held_[one].empty() && !is_short(one, TaskKind::kSend)) keep(one, task);
    for (const std::uint32_t one : all) {
      if (held_[one].empty()) continue;
      if (!has_all(held_[one], task))
        for (const std::uint32_t other : std::exchange(held_[one], {})) keep(other, one);
      keep(one, task);
    }
    for (const std::uint32_t one : all)
      if (is_short(one, TaskKind::kSend) && !waits_for(task, one)) keep(one, task);
  }

  Part& part_;
  Bytes eager_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::vector<std::uint32_t>> held_;  // of receives, what they wait for, until somebody needs it
  Ancestors ancestors_{part_.tasks.size()};
};

}  // namespace

Part part_of(const Schedule& schedule, Bytes eager) {
  Part part;
  const std::vector<std::uint8_t> lines = numbers_of_lines(schedule);
  const std::vector<bool> in_flight = buffers_in_flight(schedule);
  std::map<std::pair<BufferId, std::uint32_t>, std::uint32_t> turns;  // by lines and group
  part.tasks.reserve(schedule.tasks.size());
  for (std::uint32_t id = 0; id < schedule.tasks.size(); ++id) {
    const Task& task = schedule.tasks[id];
    ScriptTask made;
    made.kind = task.kind;
    made.size = task.size;
    if (task.is_errand()) made.errand = lines[task.errand.value];
    if (is_message(task.kind)) {
      made.peer = task.peer;
      made.label = task.ordinal;
    } else if (writes_window(schedule, task)) {
      made.kind = TaskKind::kSend;
      made.is_write = true;
      made.peer = schedule.buffers[task.target.value].owner.value;
    } else if (task.kind == TaskKind::kCopy && in_flight[task.target.value]) {
      made.kind = TaskKind::kJoin;
    } else if (is_node_level(task.kind)) {
      made.lines = lines[task.source.value];
      made.peer = static_cast<std::int32_t>(part.steps.size());
      made.size = Bytes(0);
      // There is one opening on its lines, among the errands of all and among the steps of those who wait.
      const bool is_opening = task.kind == TaskKind::kFanOut && task.peer == kLast;
      const std::uint32_t turn = is_opening ? kOpening : turns[{task.source, task.ordinal}]++;
      part.steps.push_back(step_of(schedule, task, turn));
    }
    part.tasks.push_back(made);
    for (const TaskId next : schedule.successors_of(TaskId(id))) part.edges.emplace_back(id, next.value);
  }
  constexpr std::size_t kMostTasks = 1024;  // beyond which that takes longer than it saves
  if (part.tasks.size() <= kMostTasks) Simplifier(part, eager).simplify();
  return part;
}

}  // namespace weft::simulator
