// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/task_list.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "schedule/describe.hpp"

namespace weft {

std::string_view name_of(ListTaskKind kind) {
  switch (kind) {
    case ListTaskKind::kPostRecv: return "post_recv";
    case ListTaskKind::kSend: return "send";
    case ListTaskKind::kCalc: return "calc";
    case ListTaskKind::kWrite: return "write";
    case ListTaskKind::kWait: return "wait";
    case ListTaskKind::kEnableSend: return "enable_send";
    case ListTaskKind::kEnableRecv: return "enable_recv";
  }
  return "?";
}

std::string_view name_of(QueueForm form) {
  return form == QueueForm::kManagementQueue ? "management-queue" : "waits-in-send-queues";
}

std::string name_of(const ListQueue& queue) {
  switch (queue.kind) {
    case QueueKind::kPeer: return fmt::format("QP {}", queue.peer.value);
    case QueueKind::kLoopBack: return "loop-back";
    case QueueKind::kManagement: return "MQ";
  }
  return "?";
}

namespace {

std::string queue_name(const TaskList& list, std::uint32_t queue) {
  return queue < list.queues.size() ? name_of(list.queues[queue]) : fmt::format("queue {}", queue);
}
bool is_loop_back(const TaskList& list, std::uint32_t queue) {
  return queue < list.queues.size() && list.queues[queue].kind == QueueKind::kLoopBack;
}
std::string counted(std::uint32_t count) { return count == 1 ? "" : fmt::format("{} ", count); }

std::string message_text(const TaskList& list, const ListTask& task) {
  const Schedule names = identity_of(list);
  std::string text(name_of(task.kind));
  if (task.size == Bytes(0)) return text;
  const auto range = [&](Range part) { return describe(names, part); };
  const bool is_local = is_loop_back(list, task.queue);
  if (task.kind == ListTaskKind::kPostRecv) return text + " " + range(task.target_range());
  text += " " + range(task.source_range());
  if (task.kind == ListTaskKind::kCalc) text += " (+) " + range(task.target_range());
  else if (is_local || task.kind == ListTaskKind::kWrite) text += " -> " + range(task.target_range());
  return text;
}

}  // namespace

std::string describe(const TaskList& list, const ListTask& task) {
  switch (task.kind) {
    case ListTaskKind::kWait: {
      const std::string queue = queue_name(list, queue_of(task.other));
      if (!are_sends(task.other)) return fmt::format("wait {}{}", counted(task.count), queue);
      return fmt::format("wait {}sent to {}", counted(task.count), queue);
    }
    case ListTaskKind::kEnableSend:
    case ListTaskKind::kEnableRecv:
      return fmt::format("{} {}{}", name_of(task.kind), counted(task.count), queue_name(list, task.other));
    default: return message_text(list, task) + (task.disabled ? " (disabled)" : "");
  }
}

Task message_of(const TaskList& list, const ListTask& task) {
  const ListQueue& queue = list.queues[task.queue];
  if (queue.kind != QueueKind::kPeer) return {};
  if (task.kind == ListTaskKind::kPostRecv)
    return {.kind = TaskKind::kRecv,
            .target = task.target,
            .peer = queue.peer.value,
            .ordinal = task.count,
            .target_offset = task.target_offset,
            .size = task.size};
  if (!is_sent(task.kind)) return {};
  const bool is_write = task.kind == ListTaskKind::kWrite;
  const Range sent = task.kind == ListTaskKind::kCalc ? task.target_range() : task.source_range();
  return {.kind = TaskKind::kSend,
          .source = sent.buffer,
          .target = is_write ? task.target : BufferId(),
          .peer = queue.peer.value,
          .ordinal = task.count,
          .source_offset = sent.offset,
          .target_offset = is_write ? task.target_offset : Bytes(0),
          .size = task.size};
}

Schedule identity_of(const TaskList& list) {
  Schedule schedule;
  schedule.call = list.call;
  schedule.self = list.self;
  schedule.in_place = list.in_place;
  schedule.parcels = list.parcels;
  schedule.algorithm = list.algorithm;
  schedule.buffers = list.buffers;
  return schedule;
}

ListCounts counts_of(const TaskList& list) {
  ListCounts counts{.tasks = static_cast<std::uint32_t>(list.tasks.size()),
                    .lists = static_cast<std::uint32_t>(list.ends.size()),
                    .mailboxes = list.mailbox_count,
                    .mailbox_bytes = list.mailbox_bytes};
  for (const ListQueue& queue : list.queues) counts.connections += queue.kind == QueueKind::kPeer;
  std::vector<std::uint32_t> sent(list.queues.size()), received(list.queues.size());
  for (std::size_t part = 0; part < list.ends.size(); ++part) {
    const auto tasks = std::span(list.tasks).first(list.ends[part]).subspan(list.begin_of(part));
    counts.longest_list = std::max(counts.longest_list, static_cast<std::uint32_t>(tasks.size()));
    for (const ListTask& task : tasks) {
      auto& depth = (task.kind == ListTaskKind::kPostRecv ? received : sent)[task.queue];
      counts.deepest_queue = std::max(counts.deepest_queue, ++depth);
      counts.calcs += task.kind == ListTaskKind::kCalc;
      counts.writes += task.kind == ListTaskKind::kWrite;
      counts.waits += task.kind == ListTaskKind::kWait;
      counts.loop_backs += is_sent(task.kind) && is_loop_back(list, task.queue);
    }
    for (const ListTask& task : tasks) sent[task.queue] = received[task.queue] = 0;
  }
  return counts;
}

}  // namespace weft
