// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft {

void set_edges(Schedule& schedule, std::span<const Edge> edges) {
  const std::size_t count = schedule.tasks.size();
  std::vector<std::uint32_t> ends(count + 1, 0);  // per task: where its targets begin, and, once there, end
  for (const auto& [from, to] : edges) ++ends[from.value + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<TaskId> targets(edges.size());
  for (const auto& [from, to] : edges) targets[ends[from.value]++] = to;

  schedule.successors.clear();
  schedule.successors.reserve(edges.size());
  schedule.predecessor_count.assign(count, 0);
  auto begin = targets.begin();
  for (std::size_t task = 0; task < count; ++task) {
    const auto end = targets.begin() + ends[task];
    if (!std::is_sorted(begin, end)) std::sort(begin, end);  // a builder finds most in their order
    schedule.tasks[task].successor_begin = static_cast<std::uint32_t>(schedule.successors.size());
    schedule.successors.insert(schedule.successors.end(), begin, std::unique(begin, end));
    begin = end;
  }
  for (const TaskId next : schedule.successors) ++schedule.predecessor_count[next.value];
}

namespace {

template <class Matches>
std::vector<BufferId> buffers_that(const Schedule& schedule, Matches matches) {
  std::vector<BufferId> found;
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b)
    if (matches(schedule.buffers[b])) found.emplace_back(static_cast<std::uint8_t>(b));
  return found;
}

}  // namespace

std::vector<BufferId> shared_buffers(const Schedule& schedule) {
  return buffers_that(schedule, [](const Buffer& buffer) { return is_shared(buffer.role); });
}

Rooms::Place Rooms::place(const Schedule& schedule, const Buffer& buffer) {
  const auto sharers = static_cast<std::int64_t>(schedule.groups[buffer.group.value].members.size());
  const Bytes size = whole_lines(buffer.size);
  const auto fits = [&](Room room, Bytes of_each) { return taken(room) + size <= of_each * sharers; };
  const Room room = fits(Room::kSmall, kSmallRoom)     ? Room::kSmall
                    : fits(Room::kMiddle, kMiddleRoom) ? Room::kMiddle
                                                       : Room::kLarge;
  Bytes& taken = taken_[static_cast<std::size_t>(room)];
  return {room, std::exchange(taken, taken + size)};
}

Rooms rooms_of(const Schedule& schedule) {
  Rooms rooms;
  for (const Buffer& buffer : schedule.buffers)
    if (buffer.role == BufferRole::kShared) rooms.place(schedule, buffer);
  return rooms;
}

std::vector<BufferId> own_exposed(const Schedule& schedule) {
  return buffers_that(schedule, [&](const Buffer& buffer) {
    return buffer.role == BufferRole::kExposed && buffer.owner == schedule.self;
  });
}

bool reaches_others(const Schedule& schedule) {
  return std::any_of(schedule.buffers.begin(), schedule.buffers.end(), [&](const Buffer& buffer) {
    return buffer.role == BufferRole::kExposed && buffer.owner != schedule.self;
  });
}

bool only_copies(const Schedule& schedule, BufferId buffer) {
  const auto is_exposed = [&](BufferId other) {
    return schedule.buffers[other.value].role == BufferRole::kExposed;
  };
  const bool others_reach =
      std::any_of(schedule.buffers.begin(), schedule.buffers.end(), [&](const Buffer& b) {
        return b.role == BufferRole::kExposed && b.owner == schedule.self && b.of == buffer;
      });
  return !others_reach && std::all_of(schedule.tasks.begin(), schedule.tasks.end(), [&](const Task& task) {
    const bool touches = (reads_source(task.kind) && task.source == buffer) ||
                         (writes_target(task.kind) && task.target == buffer);
    return !touches || (task.kind == TaskKind::kCopy && !is_exposed(task.source) && !is_exposed(task.target));
  });
}

namespace {

Bytes between(const Schedule& schedule, const std::vector<Parcel>& parcels, Rank rank) {
  Bytes all;
  for (const Parcel& parcel : parcels)
    if (parcel.peer == rank) all = parcel.size + (has_one_for_all(schedule.call.collective) ? Bytes(0) : all);
  return all;
}

}  // namespace

Bytes sent_to(const Schedule& schedule, Rank rank) {
  return between(schedule, schedule.parcels.outgoing, rank);
}
Bytes got_from(const Schedule& schedule, Rank rank) {
  return between(schedule, schedule.parcels.incoming, rank);
}

namespace {

// In later rounds both wait for one another: the one for what comes, the other for its memory to be free.
bool waits_to_deliver(const Schedule& schedule, Bytes moved, Rank member) {
  const Bytes got = got_from(schedule, member);
  if (moved == Bytes(0)) return got > moved;
  const auto goes_on = [&](Bytes size) { return size > moved && size <= kMostInTurns; };
  return goes_on(got) || goes_on(sent_to(schedule, member));
}

}  // namespace

bool waits_for(const Schedule& schedule, const Task& step, Rank member) {
  const std::vector<Rank>& members = schedule.groups[step.ordinal].members;
  const auto leader = [&] { return members[static_cast<std::size_t>(step.peer)]; };
  switch (step.kind) {
    case TaskKind::kDeliver: return waits_to_deliver(schedule, moved_before(step), member);
    case TaskKind::kPrefix:
      return std::find(members.begin(), members.end(), member) <
             std::find(members.begin(), members.end(), schedule.self);
    case TaskKind::kFanIn: return schedule.self == leader();
    case TaskKind::kFanOut: return member == leader();
    default: return true;
  }
}

bool is_awaited(const Schedule& schedule, const Task& step) {
  const std::vector<Rank>& members = schedule.groups[step.ordinal].members;
  const auto leader = [&] { return members[static_cast<std::size_t>(step.peer)]; };
  switch (step.kind) {
    case TaskKind::kDeliver:
      return is_later_round(step) || std::any_of(members.begin(), members.end(), [&](Rank member) {
               return member != schedule.self && sent_to(schedule, member) > Bytes(0);
             });
    case TaskKind::kPrefix: return schedule.self != members.back();
    case TaskKind::kFanIn: return schedule.self != leader();
    case TaskKind::kFanOut: return schedule.self == leader();
    default: return true;
  }
}

Bytes sent_bytes(const Schedule& schedule) {
  Bytes sum;
  for (const Task& task : schedule.tasks)
    if (task.kind == TaskKind::kSend) sum += task.size;
  return sum;
}

std::size_t sent_messages(const Schedule& schedule) {
  return static_cast<std::size_t>(
      std::count_if(schedule.tasks.begin(), schedule.tasks.end(),
                    [](const Task& task) { return task.kind == TaskKind::kSend; }));
}

Bytes copied_bytes(const Schedule& schedule) {
  Bytes sum;
  for (const Task& task : schedule.tasks)
    if (task.kind == TaskKind::kCopy || task.kind == TaskKind::kReduce) sum = sum + task.size;
  return sum;
}

std::size_t message_count(const Schedule& schedule) {
  return static_cast<std::size_t>(std::count_if(schedule.tasks.begin(), schedule.tasks.end(),
                                                [](const Task& task) { return is_message(task.kind); }));
}

std::uint32_t messages_per_pair(const Schedule& schedule) {
  std::uint32_t most = 0;
  for (const Task& task : schedule.tasks)
    if (is_message(task.kind)) most = std::max(most, task.ordinal + 1);
  return most;
}

}  // namespace weft
