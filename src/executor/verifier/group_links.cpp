// SPDX-License-Identifier: BSD-3-Clause
// Each rank's schedule names groups, shared buffers, windows and node-level tasks by numbers of its own. Here
// those of different ranks that mean the same thing are brought together.
#include <algorithm>
#include <map>

#include "executor/verifier/links.hpp"

namespace weft::verifier {
namespace {

// One group as it exists once on the machine, and its view from each member.
struct GroupInstance {
  std::vector<Rank> members;
  std::map<Rank, GroupId> seen_as;  // by the member
};

// Groups with the same members are told apart by which of them it is.
std::vector<GroupInstance> instances_of(std::span<const Schedule> schedules) {
  std::map<std::pair<std::vector<Rank>, int>, std::map<Rank, GroupId>> found;
  for (const Schedule& schedule : schedules) {
    std::map<std::vector<Rank>, int> seen;
    for (std::uint32_t g = 0; g < schedule.groups.size(); ++g) {
      const std::vector<Rank>& members = schedule.groups[g].members;
      found[{members, seen[members]++}][schedule.self] = GroupId(g);
    }
  }
  std::vector<GroupInstance> instances;
  instances.reserve(found.size());
  for (const auto& [key, seen_as] : found) instances.push_back({key.first, seen_as});
  return instances;
}

class GroupLinks {
 public:
  GroupLinks(std::span<const Schedule> schedules, Links& links, Findings& findings)
      : schedules_(schedules), links_(links), findings_(findings) {}

  bool is_seen_alike(const GroupInstance& group) {
    for (const Rank member : group.members)
      if (!group.seen_as.contains(member)) {
        const auto& [rank, id] = *group.seen_as.begin();
        findings_.add(Rule::kNodeTask, rank, {},
                      "group {} lists rank {}, whose schedule has no such group: members "
                      "list the same ranks in the same order",
                      id.value, member.value);
        return false;
      }
    return true;
  }

  bool link_memory(const GroupInstance& group) {
    const Rank first = group.members.front();
    const auto model = shared_buffers(first, group.seen_as.at(first));
    const auto base = static_cast<std::uint32_t>(links_.memory_bytes.size());
    if (!link_exposed(group)) return false;
    for (const std::size_t b : model) links_.memory_bytes.push_back(schedule_of(first).buffers[b].size);
    links_.exposed_by.resize(links_.memory_bytes.size());
    for (const Rank member : group.members) {
      const auto shared = shared_buffers(member, group.seen_as.at(member));
      bool same = shared.size() == model.size();
      for (std::size_t i = 0; same && i < shared.size(); ++i) {
        same = schedule_of(member).buffers[shared[i]].size == links_.memory_bytes[base + i];
        links_.memory[static_cast<std::size_t>(member.value)][shared[i]] =
            base + static_cast<std::uint32_t>(i);
      }
      if (same) continue;
      findings_.add(Rule::kNodeTask, member, {},
                    "the shared buffers of group {} differ from rank {}'s in number or "
                    "size",
                    group.seen_as.at(member).value, first.value);
      return false;
    }
    return true;
  }

  // Called after link_memory() of all groups: the members of a step may be fewer than the ranks that share
  // its lines.
  bool link_steps(const GroupInstance& group) {
    std::vector<std::vector<TaskId>> all_steps;
    for (const Rank member : group.members) all_steps.push_back(steps_of(member, group.seen_as.at(member)));
    const auto longest = std::max_element(all_steps.begin(), all_steps.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const std::vector<TaskId>& model = *longest;
    const Rank first = group.members[static_cast<std::size_t>(longest - all_steps.begin())];
    const auto base = static_cast<std::uint32_t>(links_.steps.size());
    for (const TaskId task : model) {
      const Task& t = schedule_of(first).tasks[task.value];
      links_.steps.push_back({t.kind, members_of(group, t), {}, has_leader(t.kind) ? t.peer : 0});
      NodeStep& step = links_.steps.back();
      if (waits_for_some(t.kind)) step.gets = gets_within(group, step.members, t);
    }
    for (std::size_t place = 0; place < group.members.size(); ++place) {
      const Rank member = group.members[place];
      const std::vector<TaskId>& steps = all_steps[place];
      for (std::size_t i = 0; i < model.size(); ++i) {
        NodeStep& step = links_.steps[base + i];
        const bool takes_part = step.place_of(member) < static_cast<int>(step.members.size());
        if (!takes_part && i >= steps.size()) continue;
        if (!takes_part || i >= steps.size() || !same_step(first, model[i], member, steps[i])) {
          findings_.add(
              Rule::kNodeTask, member, i < steps.size() ? std::optional(steps[i]) : std::nullopt,
              "node-level step {} of group {} is {} here and {} on rank {}: all members issue the same "
              "sequence, but for a delivery's later rounds, of which each takes part in its own",
              i, group.seen_as.at(member).value, i < steps.size() ? "this task" : "missing",
              findings_.name(first, model[i]), first.value);
          return false;
        }
        step.tasks.push_back(steps[i]);
        links_.other[static_cast<std::size_t>(member.value)][steps[i].value] =
            base + static_cast<std::uint32_t>(i);
      }
    }
    return true;
  }

 private:
  // Per member of a step, these in their order: for which of them it waits there.
  std::vector<std::vector<bool>> gets_within(const GroupInstance& group, const std::vector<Rank>& members,
                                             Task step) const {
    std::vector<std::vector<bool>> gets;
    for (const Rank member : members) {
      gets.emplace_back();
      step.ordinal = group.seen_as.at(member).value;
      for (const Rank other : members)
        gets.back().push_back(other != member && waits_for(schedule_of(member), step, other));
    }
    return gets;
  }

  // Those who take part in a step: all but who has nothing to do with a later round of a delivery.
  std::vector<Rank> members_of(const GroupInstance& group, const Task& step) const {
    if (!is_later_round(step)) return group.members;
    const auto gets = gets_within(group, group.members, step);
    std::vector<Rank> members;
    for (std::size_t m = 0; m < gets.size(); ++m) {
      const auto waits = std::find(gets[m].begin(), gets[m].end(), true) != gets[m].end();
      const auto is_awaited = std::any_of(gets.begin(), gets.end(), [&](const auto& own) { return own[m]; });
      if (waits || is_awaited) members.push_back(group.members[m]);
    }
    return members;
  }

  // The members list the same exposed buffers; each is a part of its owner's memory.
  bool link_exposed(const GroupInstance& group) {
    const Rank first = group.members.front();
    const auto model = exposed_buffers(first, group.seen_as.at(first));
    for (const Rank member : group.members) {
      const auto exposed = exposed_buffers(member, group.seen_as.at(member));
      bool same = exposed.size() == model.size();
      for (std::size_t i = 0; same && i < exposed.size(); ++i) {
        const Buffer& here = schedule_of(member).buffers[exposed[i]];
        const Buffer& there = schedule_of(first).buffers[model[i]];
        same = here.size == there.size && here.owner == there.owner;
        if (same) link_to_owner(group, member, exposed[i], i);
      }
      if (same) continue;
      findings_.add(Rule::kExposed, member, {},
                    "the exposed buffers of group {} differ from rank {}'s in number, size or owner",
                    group.seen_as.at(member).value, first.value);
      return false;
    }
    return true;
  }

  void link_to_owner(const GroupInstance& group, Rank member, std::size_t buffer, std::size_t place) {
    const Rank owner = schedule_of(member).buffers[buffer].owner;
    const auto theirs = exposed_buffers(owner, group.seen_as.at(owner));
    if (place >= theirs.size()) return;  // found when it is the owner's turn
    const Buffer& own = schedule_of(owner).buffers[theirs[place]];
    const auto m = static_cast<std::size_t>(member.value), o = static_cast<std::size_t>(owner.value);
    const std::uint32_t memory = links_.memory[o][own.of.value];
    links_.memory[m][buffer] = memory;
    links_.begin[m][buffer] = own.offset;
    links_.exposed_by[memory] = owner;
  }

  const Schedule& schedule_of(Rank rank) const { return schedules_[static_cast<std::size_t>(rank.value)]; }

  std::vector<std::size_t> shared_buffers(Rank rank, GroupId group) const {
    std::vector<std::size_t> shared;
    const auto& buffers = schedule_of(rank).buffers;
    for (std::size_t b = 0; b < buffers.size(); ++b)
      if (is_shared(buffers[b].role) && buffers[b].group == group) shared.push_back(b);
    return shared;
  }

  std::vector<std::size_t> exposed_buffers(Rank rank, GroupId group) const {
    std::vector<std::size_t> exposed;
    const auto& buffers = schedule_of(rank).buffers;
    for (std::size_t b = 0; b < buffers.size(); ++b)
      if (buffers[b].role == BufferRole::kExposed && buffers[b].group == group) exposed.push_back(b);
    return exposed;
  }

  std::vector<TaskId> steps_of(Rank rank, GroupId group) const {
    std::vector<TaskId> steps;
    const auto& tasks = schedule_of(rank).tasks;
    for (std::uint32_t task = 0; task < tasks.size(); ++task)
      if (is_node_level(tasks[task].kind) && GroupId(tasks[task].ordinal) == group)
        steps.push_back(TaskId(task));
    return steps;
  }

  bool same_step(Rank a, TaskId task_a, Rank b, TaskId task_b) const {
    const Task& x = schedule_of(a).tasks[task_a.value];
    const Task& y = schedule_of(b).tasks[task_b.value];
    const auto memory = [&](Rank rank, BufferId buffer) {
      return links_.memory[static_cast<std::size_t>(rank.value)][buffer.value];
    };
    return x.kind == y.kind && x.peer == y.peer && x.size == y.size && x.source_offset == y.source_offset &&
           memory(a, x.source) == memory(b, y.source);
  }

  std::span<const Schedule> schedules_;
  Links& links_;
  Findings& findings_;
};

}  // namespace

namespace {

// A window is its owner's output.
bool link_windows(std::span<const Schedule> schedules, Links& links, Findings& findings) {
  bool agreed = true;
  const bool has_groups = std::any_of(schedules.begin(), schedules.end(),
                                      [](const Schedule& schedule) { return !schedule.groups.empty(); });
  for (const Schedule& schedule : schedules)
    for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
      const Buffer& window = schedule.buffers[b];
      if (window.role != BufferRole::kWindow) continue;
      if (has_groups) {
        findings.add(Rule::kExposed, schedule.self, {},
                     "window.{} is ordered by messages, and groups by steps: one call has not both",
                     window.owner.value);
        return false;
      }
      const auto owner = static_cast<std::size_t>(window.owner.value);
      const auto& theirs = schedules[owner].buffers;
      const bool opens = std::any_of(theirs.begin(), theirs.end(), [&](const Buffer& buffer) {
        return buffer.role == BufferRole::kWindow && buffer.owner == window.owner;
      });
      if (!opens || theirs[kOutput.value].size != window.size) {
        findings.add(Rule::kExposed, schedule.self, {},
                     "window.{} has {} bytes here; rank {} {}, and its output has {}", window.owner.value,
                     window.size.value, window.owner.value, opens ? "opens it" : "does not open it",
                     theirs[kOutput.value].size.value);
        agreed = false;
        continue;
      }
      const std::uint32_t memory = links.memory[owner][kOutput.value];
      links.memory[static_cast<std::size_t>(schedule.self.value)][b] = memory;
      links.exposed_by[memory] = window.owner;
    }
  return agreed;
}

}  // namespace

bool link_groups(std::span<const Schedule> schedules, Links& links, Findings& findings) {
  for (const Schedule& schedule : schedules) {
    links.memory.emplace_back(schedule.buffers.size(), Links::kNone);
    links.begin.emplace_back(schedule.buffers.size(), Bytes(0));
    for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
      if (has_group(schedule.buffers[b].role) || schedule.buffers[b].role == BufferRole::kWindow) continue;
      links.memory.back()[b] = static_cast<std::uint32_t>(links.memory_bytes.size());
      links.memory_bytes.push_back(schedule.buffers[b].size);
    }
  }
  links.exposed_by.resize(links.memory_bytes.size());
  if (!link_windows(schedules, links, findings)) return false;
  GroupLinks group_links(schedules, links, findings);
  bool agreed = true;
  const std::vector<GroupInstance> groups = instances_of(schedules);
  for (const GroupInstance& group : groups)
    agreed = group_links.is_seen_alike(group) && group_links.link_memory(group) && agreed;
  for (const GroupInstance& group : groups) agreed = agreed && group_links.link_steps(group);
  return agreed;
}

}  // namespace weft::verifier
