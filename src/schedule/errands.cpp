// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/errands.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "schedule/describe.hpp"

namespace weft {
namespace {

bool is_by_last(const Task& task, TaskKind kind) { return task.kind == kind && task.peer == kLast; }

const std::vector<Rank>& members_of(const Schedule& schedule, const Task& task) {
  return schedule.groups[task.ordinal].members;
}

// The fan_in on these lines that nobody leads.
const Task* fan_in_on(const Schedule& schedule, BufferId lines) {
  for (const Task& task : schedule.tasks)
    if (is_by_last(task, TaskKind::kFanIn) && task.source == lines) return &task;
  return nullptr;
}

// Names lines as they exist once on the machine: the ranks that share them, and which of their lines.
using LinesKey = std::pair<std::vector<Rank>, std::int64_t>;

LinesKey key_of(const Schedule& schedule, BufferId lines) {
  const Buffer& own = schedule.buffers[lines.value];
  const auto earlier =
      std::count_if(schedule.buffers.begin(), schedule.buffers.begin() + lines.value,
                    [&](const Buffer& b) { return b.role == BufferRole::kLines && b.group == own.group; });
  return {schedule.groups[own.group.value].members, earlier};
}

// A fan_in that nobody leads. Several groups may have steps on the same lines.
using StepKey = std::pair<LinesKey, std::vector<Rank>>;

StepKey step_of(const Schedule& schedule, BufferId lines) {
  return {key_of(schedule, lines), members_of(schedule, *fan_in_on(schedule, lines))};
}

GroupId group_of(Schedule& schedule, const std::vector<Rank>& members) {
  const auto at = std::find(schedule.groups.begin(), schedule.groups.end(), Group{members});
  const auto place = static_cast<std::uint32_t>(at - schedule.groups.begin());
  if (at == schedule.groups.end()) schedule.groups.push_back({members});
  return GroupId(place);
}

// How many errands this fan_in lies within.
std::size_t depth_of(const Schedule& schedule, const Task& fan_in) {
  std::size_t depth = 0;
  for (const Task* at = &fan_in; at->is_errand(); at = fan_in_on(schedule, at->errand)) ++depth;
  return depth;
}

// By depth of errands: how many members the largest group has that nobody leads.
std::vector<std::size_t> largest_groups(std::span<const Schedule> schedules) {
  std::vector<std::size_t> largest;
  for (const Schedule& schedule : schedules)
    for (const Task& task : schedule.tasks) {
      if (!is_by_last(task, TaskKind::kFanIn)) continue;
      const std::size_t depth = depth_of(schedule, task);
      if (depth >= largest.size()) largest.resize(depth + 1, 1);
      largest[depth] = std::max(largest[depth], members_of(schedule, task).size());
    }
  return largest;
}

class LastChoice {
 public:
  LastChoice(std::span<const Schedule> schedules, int choice) : schedules_(schedules) {
    for (const std::size_t members : largest_groups(schedules)) {
      last_place_.push_back(static_cast<std::size_t>(choice) % members);
      choice /= static_cast<int>(members);
    }
  }

  std::vector<Schedule> run() {
    std::vector<Schedule> chosen(schedules_.begin(), schedules_.end());
    for (Schedule& schedule : chosen) {
      const Schedule& original = schedules_[static_cast<std::size_t>(schedule.self.value)];
      drop_foreign_groups(schedule);
      for (std::size_t t = 0; t < schedule.tasks.size(); ++t)
        settle(original, original.tasks[t], schedule, t);
    }
    return chosen;
  }

 private:
  // Who does what member `place` of the step's group does.
  Rank actor(const StepKey& step, std::size_t place) {
    const Rank member = step.second[place];
    const Schedule& schedule = schedules_[static_cast<std::size_t>(member.value)];
    const Task& fan_in = fan_in_of(schedule, step);
    return fan_in.is_errand() ? last_of(step_of(schedule, fan_in.errand)) : member;
  }
  static const Task& fan_in_of(const Schedule& schedule, const StepKey& step) {
    return *std::find_if(schedule.tasks.begin(), schedule.tasks.end(), [&](const Task& task) {
      return is_by_last(task, TaskKind::kFanIn) && key_of(schedule, task.source) == step.first &&
             members_of(schedule, task) == step.second;
    });
  }
  std::vector<Rank> actors(const StepKey& step) {
    std::vector<Rank> all;
    for (std::size_t place = 0; place < step.second.size(); ++place) all.push_back(actor(step, place));
    return all;
  }
  Rank last_of(const StepKey& step) {
    if (const auto known = last_.find(step); known != last_.end()) return known->second;
    const Schedule& first = schedules_[static_cast<std::size_t>(step.second.front().value)];
    const std::size_t place = last_place_[depth_of(first, fan_in_of(first, step))] % step.second.size();
    return last_.emplace(step, actor(step, place)).first->second;
  }

  // Groups that this rank is in only if it arrives last come back as settle() meets them.
  static void drop_foreign_groups(Schedule& schedule) {
    std::vector<GroupId> now;
    std::vector<Group> kept;
    for (const Group& group : schedule.groups) {
      now.emplace_back(static_cast<std::uint32_t>(kept.size()));
      const auto& members = group.members;
      if (std::find(members.begin(), members.end(), schedule.self) != members.end()) kept.push_back(group);
    }
    for (Buffer& buffer : schedule.buffers)
      if (is_shared(buffer.role)) buffer.group = now[buffer.group.value];
    for (Task& task : schedule.tasks)
      if (is_node_level(task.kind)) task.ordinal = now[task.ordinal].value;
    schedule.groups = std::move(kept);
  }

  void settle(const Schedule& original, const Task& before, Schedule& schedule, std::size_t t) {
    Task& task = schedule.tasks[t];
    task.errand = {};
    const std::uint32_t edges = task.successor_begin;
    const auto becomes_join = [&] { task = {.kind = TaskKind::kJoin, .successor_begin = edges}; };
    if (before.is_errand() && last_of(step_of(original, before.errand)) != original.self)
      return becomes_join();
    if (is_by_last(before, TaskKind::kFanIn)) {
      const StepKey step = step_of(original, before.source);
      const std::vector<Rank> all = actors(step);
      task.ordinal = group_of(schedule, all).value;
      task.peer = static_cast<int>(std::find(all.begin(), all.end(), last_of(step)) - all.begin());
    } else if (is_by_last(before, TaskKind::kFanOut)) {
      const Rank from = last_of(step_of(original, publisher_of(original, before).errand));
      std::vector<Rank> all{from};
      for (const Rank waiter : members_of(original, before))
        if (waiter != from) all.push_back(waiter);
      if (before.is_errand() != (from == original.self) || all.size() == 1) return becomes_join();
      task.ordinal = group_of(schedule, all).value;
      task.peer = 0;
    }
  }

  static const Task& publisher_of(const Schedule& schedule, const Task& fan_out) {
    return *std::find_if(schedule.tasks.begin(), schedule.tasks.end(), [&](const Task& task) {
      return is_by_last(task, TaskKind::kFanOut) && task.is_errand() && task.source == fan_out.source;
    });
  }

  std::span<const Schedule> schedules_;
  std::vector<std::size_t> last_place_;  // by depth
  std::map<StepKey, Rank> last_;
};

// Invariant 5, for one rank's schedule on its own.
class ErrandCheck {
 public:
  explicit ErrandCheck(const Schedule& schedule) : schedule_(schedule) {}

  std::optional<ErrandTrouble> run() {
    for (std::uint32_t t = 0; t < schedule_.tasks.size() && !trouble_; ++t) check(TaskId(t));
    return trouble_;
  }

 private:
  void wrong(TaskId task, std::string what) {
    if (!trouble_) trouble_ = ErrandTrouble{schedule_.self, task, std::move(what)};
  }

  // Whether all buffers and groups that the task names are there.
  bool is_sound(const Task& task) const {
    const auto is_there = [&](BufferId buffer) {
      return buffer.value < schedule_.buffers.size() &&
             (!is_shared(role_of(buffer)) ||
              schedule_.buffers[buffer.value].group.value < schedule_.groups.size());
    };
    return is_there(task.source) && is_there(task.target) && is_there(task.errand) &&
           (!is_node_level(task.kind) ||
            (task.ordinal < schedule_.groups.size() && role_of(task.source) == BufferRole::kLines &&
             !schedule_.groups[task.ordinal].members.empty()));
  }

  void check(TaskId id) {
    const Task& task = schedule_.tasks[id.value];
    if (!is_sound(task)) return wrong(id, "it names a buffer or a group that is not there");
    if (task.is_errand()) check_errand(id, task);
    if (is_by_last(task, TaskKind::kFanIn) && !opened_.insert(task.source).second)
      wrong(id, "the last arriver is asked for twice on the same lines: give each fan_in lines of its own");
    if (is_by_last(task, TaskKind::kFanOut)) check_fan_out(id, task);
  }

  void check_errand(TaskId id, const Task& task) {
    if (!opened_.contains(task.errand))
      return wrong(id, "it is an errand of a fan_in that does not come before it, or that somebody leads");
    if (is_message(task.kind) || (is_node_level(task.kind) && task.peer != kLast) ||
        task.kind == TaskKind::kExchange || waits_for_some(task.kind))
      return wrong(id,
                   "whoever arrives last cannot do this for others: errands copy, reduce, and take steps "
                   "that nobody leads");
    const bool own_memory = (reads_source(task.kind) && !is_shared(role_of(task.source))) ||
                            (writes_target(task.kind) && !is_shared(role_of(task.target)));
    if (own_memory) return wrong(id, "an errand names shared memory only, for any member may do it");
    if (is_by_last(task, TaskKind::kFanIn) && !acts_for(schedule_, task))
      wrong(id,
            "it is not clear for whom it is done: its group and that of the fan_in whose errand it is "
            "have to share one member");
  }

  void check_fan_out(TaskId id, const Task& task) {
    if (task.is_errand() && !published_.insert(task.source).second)
      return wrong(id, "the last arriver opens the same lines twice");
    if (!task.is_errand() && !published_.contains(task.source))
      wrong(id, "nobody opens it: no errand before it has a fan_out on the same lines");
  }

  BufferRole role_of(BufferId buffer) const { return schedule_.buffers[buffer.value].role; }

  const Schedule& schedule_;
  std::set<BufferId> opened_, published_;
  std::optional<ErrandTrouble> trouble_;
};

// A task as every rank of the node sees it, whatever numbers it has for buffers and groups.
struct Seen {
  TaskKind kind;
  std::int32_t peer;
  std::vector<Rank> group;
  std::vector<std::pair<std::string, Bytes>> ends;
  Bytes size;
  bool operator==(const Seen&) const = default;
};

Seen seen(const Schedule& schedule, const Task& task) {
  Seen view{task.kind, is_node_level(task.kind) ? task.peer : 0, {}, {}, task.size};
  if (is_node_level(task.kind)) view.group = members_of(schedule, task);
  if (reads_source(task.kind) || is_node_level(task.kind))
    view.ends.emplace_back(buffer_name(schedule, task.source), task.source_offset);
  if (writes_target(task.kind))
    view.ends.emplace_back(buffer_name(schedule, task.target), task.target_offset);
  return view;
}

}  // namespace

bool has_errands(std::span<const Schedule> schedules) {
  return std::any_of(schedules.begin(), schedules.end(), [](const Schedule& schedule) {
    return std::any_of(schedule.tasks.begin(), schedule.tasks.end(), [](const Task& task) {
      return task.is_errand() || is_by_last(task, TaskKind::kFanIn) || is_by_last(task, TaskKind::kFanOut);
    });
  });
}

int last_arriver_choices(std::span<const Schedule> schedules) {
  std::size_t choices = 1;
  for (const std::size_t members : largest_groups(schedules)) choices *= members;
  return static_cast<int>(choices);
}

std::vector<Schedule> with_last_arrivers(std::span<const Schedule> schedules, int choice) {
  return LastChoice(schedules, choice).run();
}

std::vector<Schedule> with_some_last_arrivers(std::span<const Schedule> schedules) {
  if (!has_errands(schedules) || errands_trouble(schedules)) return {schedules.begin(), schedules.end()};
  return with_last_arrivers(schedules, 0);
}

std::optional<int> acts_for(const Schedule& schedule, const Task& errand) {
  const Task* const fan_in = fan_in_on(schedule, errand.errand);
  if (fan_in == nullptr) return std::nullopt;
  const std::vector<Rank>& from = members_of(schedule, *fan_in);
  const std::vector<Rank>& members = members_of(schedule, errand);
  std::optional<int> place;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (std::find(from.begin(), from.end(), members[m]) == from.end()) continue;
    if (place) return std::nullopt;
    place = static_cast<int>(m);
  }
  return place;
}

std::optional<ErrandTrouble> errands_trouble(std::span<const Schedule> schedules) {
  std::map<StepKey, std::pair<Rank, std::vector<Seen>>> errands;  // as the first member lists them
  std::map<StepKey, std::set<Rank>> coming;
  for (std::size_t r = 0; r < schedules.size(); ++r) {
    const Schedule& schedule = schedules[r];
    if (schedule.self != Rank(static_cast<int>(r)))
      return ErrandTrouble{schedule.self, {}, "it is not in its rank's place"};
    if (auto trouble = ErrandCheck(schedule).run()) return trouble;
    for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t) {
      const Task& fan_in = schedule.tasks[t];
      if (!is_by_last(fan_in, TaskKind::kFanIn)) continue;
      const StepKey step = step_of(schedule, fan_in.source);
      std::vector<Seen> own;
      for (const Task& task : schedule.tasks)
        if (task.errand == fan_in.source) own.push_back(seen(schedule, task));
      const auto [model, is_first] = errands.try_emplace(step, schedule.self, own);
      if (!is_first && model->second.second != own)
        return ErrandTrouble{schedule.self, TaskId(t),
                             "its errand differs from the one that rank " +
                                 std::to_string(model->second.first.value) +
                                 " lists: any member may do it, so all list the same"};
      coming[step].insert(schedule.self);
    }
  }
  for (const auto& [step, ranks] : coming)
    for (const Rank member : step.second)
      if (!ranks.contains(member))
        return ErrandTrouble{*ranks.begin(),
                             {},
                             "a fan_in that nobody leads waits for rank " + std::to_string(member.value) +
                                 ", which has no such task"};
  return std::nullopt;
}

}  // namespace weft
