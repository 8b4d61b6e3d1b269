// SPDX-License-Identifier: BSD-3-Clause
#include "transform/touches.hpp"

#include <algorithm>

namespace weft {
namespace {

constexpr std::size_t kMostCellsPerTask = 64;  // on average

template <class Visit>
void for_each_range(const Schedule& schedule, Visit visit) {
  for (std::uint32_t id = 0; id < schedule.tasks.size(); ++id) {
    const Task& task = schedule.tasks[id];
    if (reads_source(task.kind)) visit(id, task.source_range());
    if (writes_target(task.kind)) visit(id, task.target_range());
  }
}

void put_in_order(std::vector<std::uint32_t>& tasks, std::uint32_t task) {
  const auto place = std::lower_bound(tasks.begin(), tasks.end(), task);
  if (place == tasks.end() || *place != task) tasks.insert(place, task);
}

}  // namespace

Touches::Touches(const Schedule& schedule) {
  std::size_t every = 1;
  for (cut(schedule, every); touched_cells(schedule) > kMostCellsPerTask * schedule.tasks.size(); every *= 2)
    cut(schedule, 2 * every);
  for_each_range(schedule, [&](std::uint32_t id, Range range) {
    const auto [first, end] = places_of(buffers_[range.buffer.value], range);
    for (std::size_t place = first; place < end; ++place)
      put_in_order(buffers_[range.buffer.value][place].tasks, id);
  });
}

void Touches::cut(const Schedule& schedule, std::size_t every) {
  std::vector<std::vector<Bytes>> begins(schedule.buffers.size(), {Bytes(0)});
  for_each_range(schedule, [&](std::uint32_t, Range range) {
    begins[range.buffer.value].push_back(range.offset);
    begins[range.buffer.value].push_back(range.offset + range.size);
  });
  buffers_.assign(schedule.buffers.size() + 1, {});
  for (std::size_t buffer = 0; buffer < begins.size(); ++buffer) {
    auto& mine = begins[buffer];
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    for (std::size_t at = 0; at < mine.size(); at += every) buffers_[buffer].push_back({mine[at], {}});
  }
}

std::size_t Touches::touched_cells(const Schedule& schedule) const {
  std::size_t touched = 0;
  for_each_range(schedule, [&](std::uint32_t, Range range) {
    const auto [first, end] = places_of(buffers_[range.buffer.value], range);
    touched += end - first;
  });
  return touched;
}

// Nothing, between two bytes, is in the cell of the second.
Touches::Places Touches::places_of(const Cells& cells, Range range) {
  const auto behind = [&](Bytes at) {
    const auto next = std::upper_bound(cells.begin(), cells.end(), at,
                                       [](Bytes left, const Cell& cell) { return left < cell.begin; });
    return static_cast<std::size_t>(next - cells.begin());
  };
  const Bytes last = range.size > Bytes(0) ? range.offset + range.size - Bytes(1) : range.offset;
  return {std::max<std::size_t>(behind(range.offset), 1) - 1, std::max<std::size_t>(behind(last), 1)};
}

std::span<const std::uint32_t> Touches::of(Range range, std::vector<std::uint32_t>& room) const {
  const Cells& cells = buffers_[range.buffer.value];
  if (cells.empty()) return {};
  const auto [first, end] = places_of(cells, range);
  if (end - first == 1) return cells[first].tasks;
  room.clear();
  for (std::size_t place = first; place < end; ++place)
    room.insert(room.end(), cells[place].tasks.begin(), cells[place].tasks.end());
  std::sort(room.begin(), room.end());
  room.erase(std::unique(room.begin(), room.end()), room.end());
  return room;
}

void Touches::add(std::uint32_t task, Range range) {
  const std::size_t buffer = range.buffer.value;
  Cells& cells = buffers_[buffer];
  const bool is_behind = buffer + 1 == buffers_.size();
  if (is_behind && (cells.empty() || cells.back().begin < range.offset)) cells.push_back({range.offset, {}});
  const auto [first, end] = places_of(cells, range);
  for (std::size_t place = first; place < end; ++place) put_in_order(cells[place].tasks, task);
}

}  // namespace weft
