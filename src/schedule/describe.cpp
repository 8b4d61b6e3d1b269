// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/describe.hpp"

#include <fmt/format.h>

namespace weft {

std::string_view name_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::kSend: return "send";
    case TaskKind::kRecv: return "recv";
    case TaskKind::kCopy: return "copy";
    case TaskKind::kReduce: return "reduce";
    case TaskKind::kJoin: return "join";
    case TaskKind::kExchange: return "exchange";
    case TaskKind::kDeliver: return "deliver";
    case TaskKind::kPrefix: return "prefix";
    case TaskKind::kFanIn: return "fan_in";
    case TaskKind::kFanOut: return "fan_out";
  }
  return "?";
}

std::string_view name_of(BufferRole role) {
  switch (role) {
    case BufferRole::kInput: return "input";
    case BufferRole::kOutput: return "output";
    case BufferRole::kScratch: return "scratch";
    case BufferRole::kWindow: return "window";
    case BufferRole::kExposed: return "exposed";
    case BufferRole::kShared: return "shared";
    case BufferRole::kLines: return "lines";
  }
  return "?";
}

namespace {

// A name that leads back to this very buffer: a second input, or window of one rank, has none of its own.
std::string reference(const Schedule& schedule, BufferId buffer) {
  if (buffer.value >= schedule.buffers.size()) return fmt::format("buffer.{}", buffer.value);
  const BufferRole role = schedule.buffers[buffer.value].role;
  if (role <= BufferRole::kOutput || role == BufferRole::kWindow)
    for (std::size_t earlier = 0; earlier < buffer.value; ++earlier)
      if (schedule.buffers[earlier].role == role &&
          schedule.buffers[earlier].owner == schedule.buffers[buffer.value].owner)
        return fmt::format("buffer.{}", buffer.value);
  return buffer_name(schedule, buffer);
}

}  // namespace

std::string buffer_name(const Schedule& schedule, BufferId buffer) {
  const BufferRole role = schedule.buffers[buffer.value].role;
  if (role == BufferRole::kInput) return "input";
  if (role == BufferRole::kOutput) return "output";
  if (role == BufferRole::kWindow)
    return fmt::format("window.{}", schedule.buffers[buffer.value].owner.value);
  int place = 0;
  for (std::size_t b = 0; b < buffer.value; ++b) place += schedule.buffers[b].role == role;
  return fmt::format("{}.{}", name_of(role), place);
}

std::string describe(const Schedule& schedule, Range range) {
  return fmt::format("{}[{}+{}]", reference(schedule, range.buffer), range.offset.value, range.size.value);
}

namespace {

std::string action(const Schedule& schedule, const Task& task) {
  const std::string source = describe(schedule, task.source_range());
  const std::string_view kind = name_of(task.kind);
  switch (task.kind) {
    case TaskKind::kSend: return fmt::format("send {} -> {}", source, task.peer);
    case TaskKind::kRecv:
      return fmt::format("recv {} -> {}", task.peer, describe(schedule, task.target_range()));
    case TaskKind::kCopy:
    case TaskKind::kReduce:
      return fmt::format("{} {} -> {}", kind, source, describe(schedule, task.target_range()));
    case TaskKind::kJoin: return "join";
    case TaskKind::kDeliver: {
      const Bytes moved = moved_before(task);
      return fmt::format("deliver {} group {}{}", source, task.ordinal,
                         moved == Bytes(0) ? "" : fmt::format(" beyond {}", moved.value));
    }
    case TaskKind::kExchange:
    case TaskKind::kPrefix: return fmt::format("{} {} group {}", kind, source, task.ordinal);
    case TaskKind::kFanIn:
    case TaskKind::kFanOut:
      return fmt::format("{} {} group {} leader {}", kind, source, task.ordinal,
                         task.peer == kLast ? "last" : std::to_string(task.peer));
  }
  return "?";
}

}  // namespace

std::string describe(const Schedule& schedule, const Task& task) {
  const std::string what = action(schedule, task);
  return task.is_errand() ? fmt::format("{} errand {}", what, reference(schedule, task.errand)) : what;
}

std::string describe(const Call& call) {
  std::string text(name_of(call.collective));
  if (!knows_all_blocks(call.collective)) text += " with blocks";
  if (call.collective != Collective::kBarrier)
    text += fmt::format(" of {}{} byte{}", knows_all_blocks(call.collective) ? "" : "up to ",
                        call.bytes.value, call.bytes.value == 1 ? "" : "s");
  if (has_parcels(call.collective) && knows_all_blocks(call.collective)) text += " in all";
  text += fmt::format(" on {} rank{}", call.rank_count, call.rank_count == 1 ? "" : "s");
  if (is_rooted(call.collective)) text += fmt::format(", root {}", call.root.value);
  if (is_reduction(call.collective) && !call.commutative) text += ", operands in rank order";
  return text;
}

std::vector<std::vector<TaskId>> predecessors(const Schedule& schedule) {
  std::vector<std::vector<TaskId>> lists(schedule.tasks.size());
  for (std::uint32_t from = 0; from < schedule.tasks.size(); ++from) {
    const std::size_t begin = schedule.tasks[from].successor_begin;
    const std::size_t end = from + 1 < schedule.tasks.size() ? schedule.tasks[from + 1].successor_begin
                                                             : schedule.successors.size();
    for (std::size_t edge = begin; edge < end && edge < schedule.successors.size(); ++edge)
      if (schedule.successors[edge].value < lists.size())
        lists[schedule.successors[edge].value].push_back(TaskId(from));
  }
  return lists;
}

}  // namespace weft
