// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/task_list_layout.hpp"

#include <algorithm>

namespace weft {
namespace {

// The tasks of one queue that are counted, of all lists, in their order.
struct Counted {
  std::vector<std::uint32_t> received, sent;
};
std::vector<Counted> counted_in(const TaskList& list) {
  std::vector<Counted> queues(list.queues.size());
  for (std::uint32_t id = 0; id < list.tasks.size(); ++id) {
    const ListTask& task = list.tasks[id];
    if (task.kind == ListTaskKind::kPostRecv) queues[task.queue].received.push_back(id);
    if (is_sent(task.kind)) queues[task.queue].sent.push_back(id);
  }
  return queues;
}

// The last one that a wait or an enabling counts.
std::optional<std::uint32_t> meant_by(const TaskList& list, const std::vector<Counted>& queues,
                                      const ListTask& task) {
  const bool is_wait = task.kind == ListTaskKind::kWait;
  if (!is_wait && !is_enable(task.kind)) return std::nullopt;
  const std::uint32_t queue = is_wait ? queue_of(task.other) : task.other;
  if (queue >= queues.size()) return std::nullopt;
  const bool is_peer = list.queues[queue].kind == QueueKind::kPeer;
  const bool are_received =
      is_wait ? is_peer && !are_sends(task.other) : task.kind == ListTaskKind::kEnableRecv;
  const auto& tasks = are_received ? queues[queue].received : queues[queue].sent;
  if (task.count == 0 || task.count > tasks.size()) return std::nullopt;
  return tasks[task.count - 1];
}

class Layouter {
 public:
  Layouter(const TaskList& list, std::size_t part)
      : list_(list), begin_(list.begin_of(part)), end_(list.ends[part]) {
    layout_.begin = begin_;
    layout_.places.resize(end_ - begin_);
    point();
    place_columns();
    place_receives();
    place_the_rest();
  }
  TaskListLayout take() { return std::move(layout_); }

 private:
  bool is_received(std::uint32_t id) const { return list_.tasks[id].kind == ListTaskKind::kPostRecv; }
  int& row(std::uint32_t id) { return layout_.places[id - begin_].row; }

  void point() {
    const auto queues = counted_in(list_);
    for (std::uint32_t id = begin_; id < end_; ++id) {
      auto meant = meant_by(list_, queues, list_.tasks[id]);
      if (meant && (*meant < begin_ || *meant >= end_)) meant.reset();
      layout_.points_to.push_back(meant);
    }
  }

  void place_columns() {
    std::vector<bool> is_used(list_.queues.size());
    for (std::uint32_t id = begin_; id < end_; ++id) is_used[list_.tasks[id].queue] = true;
    for (std::uint32_t queue = 0; queue < list_.queues.size(); ++queue)
      if (is_used[queue]) layout_.columns.push_back(queue);
    std::stable_sort(layout_.columns.begin(), layout_.columns.end(), [&](std::uint32_t a, std::uint32_t b) {
      return list_.queues[a].kind > list_.queues[b].kind;
    });
    std::vector<std::size_t> column_of(list_.queues.size());
    for (std::size_t column = 0; column < layout_.columns.size(); ++column)
      column_of[layout_.columns[column]] = column;
    for (std::uint32_t id = begin_; id < end_; ++id)
      layout_.places[id - begin_].column = column_of[list_.tasks[id].queue];
  }

  // The last receive of each queue stands on the line.
  void place_receives() {
    std::vector<int> count(list_.queues.size());
    for (std::uint32_t id = begin_; id < end_; ++id)
      if (is_received(id)) row(id) = count[list_.tasks[id].queue]++;
    for (const int rows : count) layout_.receive_rows = std::max(layout_.receive_rows, rows);
    for (std::uint32_t id = begin_; id < end_; ++id)
      if (is_received(id)) row(id) += layout_.receive_rows - count[list_.tasks[id].queue];
  }

  // Until nothing moves down any more: an enabling may stand behind what it enables. A damaged list may never
  // come to rest.
  void place_the_rest() {
    for (std::uint32_t pass = begin_; pass <= end_ && move_down(); ++pass) {}
    for (std::uint32_t id = begin_; id < end_; ++id)
      if (!is_received(id)) layout_.rows = std::max(layout_.rows, row(id) + 1);
  }
  bool move_down() {
    bool has_moved = false;
    const auto put_below = [&](std::uint32_t id, int least) {
      if (row(id) >= least) return;
      row(id) = least;
      has_moved = true;
    };
    std::vector<int> next(list_.queues.size());
    for (std::uint32_t id = begin_; id < end_; ++id) {
      if (is_received(id)) continue;
      const ListTask& task = list_.tasks[id];
      put_below(id, next[task.queue]);
      const auto other = layout_.points_to[id - begin_];
      if (other && !is_received(*other)) {
        if (task.kind == ListTaskKind::kWait) put_below(id, row(*other) + 1);
        else put_below(*other, row(id) + 1);
      }
      next[task.queue] = row(id) + 1;
    }
    return has_moved;
  }

  const TaskList& list_;
  const std::uint32_t begin_, end_;
  TaskListLayout layout_;
};

}  // namespace

TaskListLayout layout_of(const TaskList& list, std::size_t part) { return Layouter(list, part).take(); }

}  // namespace weft
