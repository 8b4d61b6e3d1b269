// SPDX-License-Identifier: BSD-3-Clause
// Is each schedule one at all, and does every task stay within what it may touch?
#include <algorithm>

#include "collective/oracle.hpp"
#include "executor/verifier/checks.hpp"
#include "schedule/describe.hpp"

namespace weft::verifier {
namespace {

// One rank's schedule, looked at alone. `sound_` turns false when later checks could not index into it.
class StructureCheck {
 public:
  StructureCheck(const Schedule& schedule, Findings& findings)
      : schedule_(schedule), self_(schedule.self), findings_(findings) {}

  bool run() {
    check_edges();
    if (!sound_) return false;
    check_buffers();
    check_groups();
    if (!sound_) return false;
    for (std::uint32_t task = 0; task < schedule_.tasks.size(); ++task) check_task(TaskId(task));
    if (sound_) check_step_order();
    return sound_;
  }

 private:
  template <class... Parts>
  void unsound(Rule rule, std::optional<TaskId> task, fmt::format_string<Parts...> format, Parts&&... parts) {
    sound_ = false;
    findings_.add(rule, self_, task, format, std::forward<Parts>(parts)...);
  }

  void check_edges();
  void check_buffers();
  void check_groups();
  void check_exposed(std::size_t b);
  void check_task(TaskId id);
  void check_reach(TaskId id, const Task& task);
  bool check_end(TaskId id, BufferId buffer, Bytes offset);
  void check_range(TaskId id, Range range);
  bool is_for_errands(GroupId group) const;
  bool shares(GroupId owners, GroupId group) const;
  Bytes payload_of(BufferId lines) const;
  void check_node_level(TaskId id, const Task& task);
  void check_step_order();
  bool leads(TaskId from, TaskId to) const;

  const Schedule& schedule_;
  Rank self_;
  Findings& findings_;
  bool sound_ = true;
};

void StructureCheck::check_edges() {
  const std::size_t count = schedule_.tasks.size();
  if (schedule_.predecessor_count.size() != count)
    return unsound(Rule::kMalformed, {},
                   "{} tasks, but predecessor counts of {}: build edges with set_edges()", count,
                   schedule_.predecessor_count.size());
  if (count == 0 && !schedule_.successors.empty())
    return unsound(Rule::kMalformed, {}, "edges without tasks");
  std::vector<std::uint32_t> predecessors(count, 0);
  for (std::uint32_t task = 0; task < count; ++task) {
    const std::size_t begin = schedule_.tasks[task].successor_begin;
    const std::size_t end =
        task + 1 < count ? schedule_.tasks[task + 1].successor_begin : schedule_.successors.size();
    if ((task == 0 && begin != 0) || begin > end || end > schedule_.successors.size())
      return unsound(Rule::kMalformed, {},
                     "the edges of task {} lie at {} to {} of {}: build edges with set_edges()", task, begin,
                     end, schedule_.successors.size());
    for (std::size_t edge = begin; edge < end; ++edge) {
      const std::uint32_t next = schedule_.successors[edge].value;
      if (next <= task || next >= count)
        return unsound(Rule::kMalformed, {},
                       "an edge leads from task {} to {}: it must lead to a later one of the {} tasks", task,
                       next, count);
      ++predecessors[next];
    }
  }
  for (std::uint32_t task = 0; task < count; ++task)
    if (predecessors[task] != schedule_.predecessor_count[task])
      return unsound(Rule::kMalformed, {}, "task {} has {} predecessors, but its count says {}", task,
                     predecessors[task], schedule_.predecessor_count[task]);
}

void StructureCheck::check_buffers() {
  const auto& buffers = schedule_.buffers;
  if (buffers.size() < 2 || buffers.size() > 256 || buffers[0].role != BufferRole::kInput ||
      buffers[1].role != BufferRole::kOutput)
    return unsound(Rule::kMalformed, {},
                   "buffer 0 must be the input, buffer 1 the output, and 256 is the most");
  for (std::size_t b = 2; b < buffers.size(); ++b)
    if (buffers[b].role < BufferRole::kScratch || buffers[b].role > BufferRole::kLines ||
        buffers[b].size < Bytes(0))
      unsound(Rule::kMalformed, {}, "buffer {} must be scratch or shared and have no negative size", b);
    else if (buffers[b].role == BufferRole::kWindow &&
             (buffers[b].owner < Rank(0) || buffers[b].owner >= Rank(schedule_.call.rank_count)))
      unsound(Rule::kOutOfBounds, {}, "buffer {} is a window of rank {}: ranks are 0 to {}", b,
              buffers[b].owner.value, schedule_.call.rank_count - 1);
  const auto lines = std::count_if(buffers.begin(), buffers.end(),
                                   [](const Buffer& b) { return b.role == BufferRole::kLines; });
  if (lines > kMostLines)
    unsound(Rule::kNodeTask, {}, "there are {} lines buffers, and {} is the most: use one for several steps",
            lines, kMostLines);
  const Call& call = schedule_.call;
  if (schedule_.in_place && !oracle_of(call.collective).may_be_in_place(call, self_))
    unsound(Rule::kMalformed, {},
            "in place has no meaning here: in a rooted collective only the root may be, in a neighbour "
            "form nobody");
  const Bytes input = input_bytes(participant_of(schedule_));
  const Bytes output = output_bytes(participant_of(schedule_));
  if (buffers[0].size != input || buffers[1].size != output)
    unsound(Rule::kMalformed, {}, "input and output have {} and {} bytes; {} gives this rank {} and {}",
            buffers[0].size.value, buffers[1].size.value, describe(call), input.value, output.value);
}

void StructureCheck::check_groups() {
  for (std::size_t g = 0; g < schedule_.groups.size(); ++g) {
    std::vector<Rank> members = schedule_.groups[g].members;
    std::sort(members.begin(), members.end());
    if (!members.empty() && (members.front() < Rank(0) || members.back() >= Rank(schedule_.call.rank_count)))
      unsound(Rule::kOutOfBounds, {}, "group {} has members other than ranks 0 to {}", g,
              schedule_.call.rank_count - 1);
    else if (std::adjacent_find(members.begin(), members.end()) != members.end())
      unsound(Rule::kNodeTask, {}, "group {} has a member twice", g);
    else if (!std::binary_search(members.begin(), members.end(), self_) && !is_for_errands(GroupId(g)))
      unsound(Rule::kNodeTask, {}, "group {} does not contain this rank: leave it out of this schedule", g);
  }
  for (std::size_t b = 2; b < schedule_.buffers.size(); ++b)
    if (has_group(schedule_.buffers[b].role) && schedule_.buffers[b].group.value >= schedule_.groups.size())
      unsound(Rule::kOutOfBounds, {}, "buffer {} belongs to group {}, but there are {} groups", b,
              schedule_.buffers[b].group.value, schedule_.groups.size());
    else if (schedule_.buffers[b].role == BufferRole::kExposed) check_exposed(b);
}

// Owners tell their addresses in the group's first lines, which have room for so many.
void StructureCheck::check_exposed(std::size_t b) {
  const auto& buffers = schedule_.buffers;
  const Buffer& buffer = buffers[b];
  const auto& members = schedule_.groups[buffer.group.value].members;
  if (std::find(members.begin(), members.end(), buffer.owner) == members.end())
    return unsound(Rule::kExposed, {}, "buffer {} is rank {}'s, who is not in group {}", b,
                   buffer.owner.value, buffer.group.value);
  const auto of_group = [&](BufferRole role) {
    return std::count_if(buffers.begin(), buffers.end(), [&](const Buffer& other) {
      return other.role == role && other.group == buffer.group &&
             (role != BufferRole::kExposed || other.owner == buffer.owner);
    });
  };
  if (of_group(BufferRole::kLines) == 0 || of_group(BufferRole::kExposed) > kMostExposed)
    return unsound(Rule::kExposed, {},
                   "buffer {} needs lines of group {}, which say where up to {} buffers of a member lie", b,
                   buffer.group.value, kMostExposed);
  if (buffer.owner != self_) return;
  const bool is_private = buffer.of.value < buffers.size() && !has_group(buffers[buffer.of.value].role);
  if (!is_private || buffer.offset < Bytes(0) || buffer.size > buffers[buffer.of.value].size - buffer.offset)
    unsound(Rule::kExposed, {}, "buffer {} must be a range within the input, the output or scratch", b);
}

void StructureCheck::check_task(TaskId id) {
  const Task& task = schedule_.tasks[id.value];
  if (task.kind > TaskKind::kFanOut)
    return unsound(Rule::kMalformed, {}, "task {} is of unknown kind {}", id.value,
                   static_cast<int>(task.kind));
  if (task.kind == TaskKind::kReduce && !is_reduction(schedule_.call.collective))
    unsound(Rule::kMalformed, id, "{} has no operator to combine with", describe(schedule_.call));
  if (is_message(task.kind) && (task.peer < 0 || task.peer >= schedule_.call.rank_count))
    unsound(Rule::kOutOfBounds, id, "there is no rank {}: ranks are 0 to {}", task.peer,
            schedule_.call.rank_count - 1);
  if (!check_end(id, task.source, task.source_offset) || !check_end(id, task.target, task.target_offset) ||
      !check_end(id, task.errand, Bytes(0)))
    return;
  if (reads_source(task.kind)) check_range(id, task.source_range());
  if (writes_target(task.kind)) check_range(id, task.target_range());
  if (writes_target(task.kind) && task.target == kInput)
    findings_.add(Rule::kWritesInput, self_, id,
                  "the input is the caller's to keep: write to scratch or output");
  if (is_node_level(task.kind)) check_node_level(id, task);
  else check_reach(id, task);
}

// A copy with one end in another rank's memory is all that a transport does there.
void StructureCheck::check_reach(TaskId id, const Task& task) {
  const auto is_window = [&](BufferId buffer) {
    return schedule_.buffers[buffer.value].role == BufferRole::kWindow;
  };
  const auto is_exposed = [&](BufferId buffer) {
    return schedule_.buffers[buffer.value].role == BufferRole::kExposed || is_window(buffer);
  };
  const bool reads = reads_source(task.kind) && is_exposed(task.source);
  const bool writes = writes_target(task.kind) && is_exposed(task.target);
  if (!reads && !writes) return;
  const BufferId buffer = reads ? task.source : task.target;
  if (schedule_.buffers[buffer.value].owner == self_)
    unsound(Rule::kExposed, id, "{} is this rank's own: name the buffer that it is",
            buffer_name(schedule_, buffer));
  else if (reads && is_window(task.source))
    unsound(Rule::kExposed, id, "another rank's window is copied to, and not read");
  else if (task.kind != TaskKind::kCopy || (reads && writes))
    unsound(Rule::kExposed, id, "another rank's memory is copied from or copied to, with the other end here");
}

// Executors make both addresses, whether the kind needs them or not.
bool StructureCheck::check_end(TaskId id, BufferId buffer, Bytes offset) {
  if (buffer.value >= schedule_.buffers.size())
    unsound(Rule::kOutOfBounds, id, "there is no buffer {}: there are {}", buffer.value,
            schedule_.buffers.size());
  else if (offset < Bytes(0) || offset > schedule_.buffers[buffer.value].size)
    unsound(Rule::kOutOfBounds, id, "offset {} is not inside {}, which has {} bytes; unused ends are 0",
            offset.value, buffer_name(schedule_, buffer), schedule_.buffers[buffer.value].size.value);
  else return true;
  return false;
}

// What a rank may write of its line.
Bytes StructureCheck::payload_of(BufferId lines) const {
  const bool delivers = std::any_of(schedule_.tasks.begin(), schedule_.tasks.end(), [&](const Task& task) {
    return task.kind == TaskKind::kDeliver && task.source == lines;
  });
  return delivers ? kDeliveredLineBytes : kLineBytes;
}

void StructureCheck::check_range(TaskId id, Range range) {
  const Bytes size = schedule_.buffers[range.buffer.value].size;
  if (range.offset < Bytes(0) || range.size < Bytes(0) || range.size > size ||
      range.offset > size - range.size)
    unsound(Rule::kOutOfBounds, id, "{} is not inside {}, which has {} bytes", describe(schedule_, range),
            buffer_name(schedule_, range.buffer), size.value);
  else if (schedule_.buffers[range.buffer.value].role == BufferRole::kLines &&
           !is_node_level(schedule_.tasks[id.value].kind) &&
           range.offset.value % kLineStride.value + range.size.value > payload_of(range.buffer).value)
    unsound(Rule::kNodeTask, id, "{} is not within the {} bytes of one line; lines begin every {} bytes",
            describe(schedule_, range), payload_of(range.buffer).value, kLineStride.value);
}

// Whether only whoever arrives last somewhere takes its steps.
bool StructureCheck::is_for_errands(GroupId group) const {
  const auto is_own = [&](const Buffer& b) { return is_shared(b.role) && b.group == group; };
  return std::none_of(schedule_.buffers.begin(), schedule_.buffers.end(), is_own) &&
         std::all_of(schedule_.tasks.begin(), schedule_.tasks.end(), [&](const Task& task) {
           return !is_node_level(task.kind) || GroupId(task.ordinal) != group || task.is_errand();
         });
}

// Whether everybody in `group` sees the shared memory of `owners`.
bool StructureCheck::shares(GroupId owners, GroupId group) const {
  const auto& seers = schedule_.groups[owners.value].members;
  const auto& members = schedule_.groups[group.value].members;
  return std::all_of(members.begin(), members.end(),
                     [&](Rank rank) { return std::find(seers.begin(), seers.end(), rank) != seers.end(); });
}

void StructureCheck::check_node_level(TaskId id, const Task& task) {
  check_range(id, task.source_range());
  if (task.ordinal >= schedule_.groups.size())
    return unsound(Rule::kOutOfBounds, id, "there is no group {}: there are {}", task.ordinal,
                   schedule_.groups.size());
  const std::size_t members = schedule_.groups[task.ordinal].members.size();
  if (has_leader(task.kind) && task.peer != kLast &&
      (task.peer < 0 || static_cast<std::size_t>(task.peer) >= members))
    unsound(Rule::kOutOfBounds, id, "the leader's place {} is not in group {}, which has {} members",
            task.peer, task.ordinal, members);
  if (task.kind == TaskKind::kDeliver && task.peer < 0)
    unsound(Rule::kMalformed, id, "{} bytes have been moved before: at least 0", moved_before(task).value);
  if (!has_leader(task.kind) && task.kind != TaskKind::kDeliver && task.peer != 0)
    unsound(Rule::kMalformed, id, "nobody leads this step, but it names place {}: leave it at 0", task.peer);
  const Buffer& buffer = schedule_.buffers[task.source.value];
  if (buffer.role != BufferRole::kLines)
    unsound(Rule::kNodeTask, id,
            "its members tell their arrival in lines, so it must name a lines buffer, not {}",
            buffer_name(schedule_, task.source));
  else if (!shares(buffer.group, GroupId(task.ordinal)))
    unsound(Rule::kNodeTask, id, "{} belongs to group {}, which not all members of group {} are in",
            buffer_name(schedule_, task.source), buffer.group.value, task.ordinal);
}

// A member's arrivals in its line are numbers that grow: the steps on the same lines are of the same group,
// and none may start before the one in front of it is done.
void StructureCheck::check_step_order() {
  std::vector<std::optional<TaskId>> last(schedule_.buffers.size());
  for (std::uint32_t id = 0; id < schedule_.tasks.size(); ++id) {
    const Task& task = schedule_.tasks[id];
    if (!is_node_level(task.kind)) continue;
    std::optional<TaskId>& before = last[task.source.value];
    if (before && schedule_.tasks[before->value].ordinal != task.ordinal)
      unsound(Rule::kNodeTask, TaskId(id),
              "task {} is a step on the same lines, but of another group: give each lines of its own",
              before->value);
    if (before && !leads(*before, TaskId(id)))
      unsound(Rule::kNodeTask, TaskId(id), "it has to wait for task {}, the step before it on the same lines",
              before->value);
    before = TaskId(id);
  }
}

// Whether a path of edges goes from one task to the other.
bool StructureCheck::leads(TaskId from, TaskId to) const {
  const auto direct = schedule_.successors_of(from);
  if (std::find(direct.begin(), direct.end(), to) != direct.end()) return true;
  std::vector<bool> seen(schedule_.tasks.size(), false);
  std::vector<TaskId> open{from};
  while (!open.empty()) {
    const TaskId at = open.back();
    open.pop_back();
    for (const TaskId next : schedule_.successors_of(at)) {
      if (next == to) return true;
      if (next.value > to.value || seen[next.value]) continue;  // edges lead to later tasks
      seen[next.value] = true;
      open.push_back(next);
    }
  }
  return false;
}

bool check_call(const Call& call, Findings& findings) {
  const auto wrong = [&](const char* what) {
    findings.add(Rule::kMalformed, Rank(0), {}, "{}", what);
    return false;
  };
  if (call.bytes < Bytes(0)) return wrong("the call has a negative number of bytes");
  if (call.root < Rank(0) || call.root >= Rank(call.rank_count))
    return wrong("the root is not among the ranks");
  if (is_reduction(call.collective) &&
      (call.element_bytes < Bytes(1) || call.bytes.value % call.element_bytes.value))
    return wrong("the call's bytes must be whole elements");
  return true;
}

}  // namespace

bool check_structure(std::span<const Schedule> schedules, Findings& findings) {
  if (schedules.empty() || static_cast<std::size_t>(schedules.front().call.rank_count) != schedules.size()) {
    findings.add(Rule::kMalformed, Rank(0), {},
                 "{} schedules of a call on {} ranks: pass one per rank, in their order", schedules.size(),
                 schedules.empty() ? 0 : schedules.front().call.rank_count);
    return false;
  }
  if (!check_call(schedules.front().call, findings) || !check_parcels(schedules, findings)) return false;
  bool sound = true;
  for (std::size_t r = 0; r < schedules.size(); ++r) {
    const Rank rank(static_cast<std::int32_t>(r));
    if (schedules[r].self != rank || schedules[r].call != schedules.front().call) {
      findings.add(Rule::kMalformed, rank, {},
                   "schedule {} is rank {}'s of {}; it must be rank {}'s of rank 0's call, {}", r,
                   schedules[r].self.value, describe(schedules[r].call), r, describe(schedules.front().call));
      sound = false;
    } else if (!StructureCheck(schedules[r], findings).run()) {
      sound = false;
    }
  }
  return sound;
}

}  // namespace weft::verifier
