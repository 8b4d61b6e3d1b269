// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/task_list_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "schedule/describe.hpp"

namespace weft {
namespace {

using nlohmann::ordered_json;

std::string several(std::uint32_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// One queue's cells, in their order.
struct Column {
  QueueKind kind;  // the queues that no peer is at the other end of come first
  std::string head;
  std::vector<std::string> received, sent;

  std::size_t width() const {
    std::size_t width = head.size();
    for (const auto* cells : {&received, &sent})
      for (const std::string& cell : *cells) width = std::max(width, cell.size());
    return width;
  }
};

std::string row(const std::vector<Column>& columns, const auto& cell_of) {
  std::string line = " ";
  for (const Column& column : columns) line += fmt::format(" {:<{}} ", cell_of(column), column.width());
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}
std::string rows(const std::vector<Column>& columns, std::vector<std::string> Column::*cells) {
  std::size_t count = 0;
  for (const Column& column : columns) count = std::max(count, (column.*cells).size());
  std::string text;
  for (std::size_t at = 0; at < count; ++at)
    text += row(columns, [&](const Column& column) {
      return at < (column.*cells).size() ? (column.*cells)[at] : std::string();
    });
  return text;
}

std::string draw_part(const TaskList& list, std::size_t part) {
  std::vector<Column> columns;
  for (const ListQueue& queue : list.queues) columns.push_back({.kind = queue.kind, .head = name_of(queue)});
  for (std::uint32_t id = list.begin_of(part); id < list.ends[part]; ++id) {
    const ListTask& task = list.tasks[id];
    Column& column = columns[task.queue];
    (task.kind == ListTaskKind::kPostRecv ? column.received : column.sent).push_back(describe(list, task));
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](const Column& a, const Column& b) { return a.kind > b.kind; });
  std::erase_if(columns, [](const Column& c) { return c.received.empty() && c.sent.empty(); });
  const auto head = [](const Column& column) { return column.head; };
  const auto line = [](const Column& column) { return std::string(column.width(), '-'); };
  return row(columns, head) + rows(columns, &Column::received) + row(columns, line) +
         rows(columns, &Column::sent);
}

ordered_json task_json(const TaskList& list, const ListTask& task) {
  ordered_json json = {{"kind", name_of(task.kind)}, {"queue", task.queue}};
  const Schedule names = identity_of(list);
  if (is_sent(task.kind)) json["source"] = describe(names, task.source_range());
  const bool has_target = task.kind == ListTaskKind::kPostRecv || task.kind == ListTaskKind::kCalc ||
                          task.kind == ListTaskKind::kWrite ||
                          (is_sent(task.kind) && list.queues[task.queue].kind == QueueKind::kLoopBack);
  if (has_target) json["target"] = describe(names, task.target_range());
  if (task.kind == ListTaskKind::kWait) {
    json["for"] = are_sends(task.other) ? "sends" : "arrivals";
    json["of"] = queue_of(task.other);
    json["count"] = task.count;
  } else if (is_enable(task.kind)) {
    json["of"] = task.other;
    json["count"] = task.count;
  } else {
    json["ordinal"] = task.count;
    json["disabled"] = task.disabled;
  }
  return json;
}

ordered_json counts_json(const ListCounts& counts) {
  return {{"tasks", counts.tasks},
          {"lists", counts.lists},
          {"connections", counts.connections},
          {"waits", counts.waits},
          {"calcs", counts.calcs},
          {"writes", counts.writes},
          {"loop_backs", counts.loop_backs},
          {"mailboxes", counts.mailboxes},
          {"mailbox_bytes", counts.mailbox_bytes.value},
          {"longest_list", counts.longest_list},
          {"deepest_queue", counts.deepest_queue}};
}

ordered_json list_json(const TaskList& list) {
  ordered_json json = {{"rank", list.self.value},
                       {"form", name_of(list.form)},
                       {"queues", ordered_json::array()},
                       {"lists", ordered_json::array()},
                       {"counts", counts_json(counts_of(list))}};
  for (const ListQueue& queue : list.queues) json["queues"].push_back(name_of(queue));
  for (std::size_t part = 0; part < list.ends.size(); ++part) {
    ordered_json tasks = ordered_json::array();
    for (std::uint32_t id = list.begin_of(part); id < list.ends[part]; ++id)
      tasks.push_back(task_json(list, list.tasks[id]));
    json["lists"].push_back(std::move(tasks));
  }
  return json;
}

}  // namespace

std::string describe(const ListCounts& counts) {
  std::string text = fmt::format(
      "{} in {}, {}, {}, {}{} over the loop-back, ", several(counts.tasks, "task"),
      several(counts.lists, "list"), several(counts.connections, "connection"), several(counts.calcs, "calc"),
      counts.writes == 0 ? "" : several(counts.writes, "write") + ", ", counts.loop_backs);
  if (counts.mailboxes == 0) return text + "no mailboxes";
  return text + (counts.mailboxes == 1 ? "1 mailbox" : fmt::format("{} mailboxes", counts.mailboxes)) +
         fmt::format(" of {} bytes", counts.mailbox_bytes.value);
}

std::string draw(const TaskList& list) {
  std::string text = fmt::format("rank {}: {}\n", list.self.value, describe(counts_of(list)));
  for (std::size_t part = 0; part < list.ends.size(); ++part) {
    if (list.ends.size() > 1) text += fmt::format(" list {}\n", part);
    if (list.begin_of(part) < list.ends[part]) text += draw_part(list, part);
  }
  return text;
}

std::string json(std::span<const TaskList> lists, int indent) {
  ordered_json all = {{"task_lists", ordered_json::array()}};
  for (const TaskList& list : lists) all["task_lists"].push_back(list_json(list));
  return all.dump(indent);
}

}  // namespace weft
