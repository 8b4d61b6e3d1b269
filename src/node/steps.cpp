// SPDX-License-Identifier: BSD-3-Clause
#include "node/steps.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "schedule/errands.hpp"

namespace weft::node {
namespace {

int place_of(const Group& group, Rank rank) {
  return static_cast<int>(std::find(group.members.begin(), group.members.end(), rank) -
                          group.members.begin());
}

std::vector<int> places_of(const Group& sharers, const Group& group) {
  std::vector<int> places;
  for (const Rank member : group.members) places.push_back(place_of(sharers, member));
  return places;
}

// The step of a fan_in that nobody leads, or of a fan_out that the last arriver opens in the line of the
// first rank that waits.
void follow_last(const Schedule& schedule, const Task& task, const Group& sharers, const Group& group,
                 Step& step) {
  step.waited_for = places_of(sharers, group);
  if (task.kind == TaskKind::kFanIn) {
    step.counts = true;
    const auto as = task.is_errand() ? acts_for(schedule, task) : std::nullopt;
    if (as) step.self = step.waited_for[static_cast<std::size_t>(*as)];
    return;
  }
  step.arrives = task.is_errand();
  step.self = step.waited_for.front();
  step.waited_for.resize(step.arrives ? 0 : 1);
  step.number = 1;
}

void set_mark(Step& step, int at, Bytes size) {
  std::uint64_t& word = step.marks[static_cast<std::size_t>(at / 8)];
  const int bit = 8 * (at % 8);
  word = (word & ~(std::uint64_t{0xff} << bit)) | std::uint64_t{mark_of(size)} << bit;
}

void mark_parcels(const Schedule& schedule, const Group& sharers, Step& step) {
  step.delivers = true;
  const auto members = static_cast<int>(sharers.members.size());
  step.mark_words = std::min((members + 6) / 8, static_cast<int>(step.marks.size()));
  for (int place = 0; place < members; ++place) {
    const int at = mark_place(step.self, place);
    if (place == step.self || at >= kMarks) continue;
    set_mark(step, at, sent_to(schedule, sharers.members[static_cast<std::size_t>(place)]));
  }
  for (const int place : step.waited_for)
    step.expected.push_back(mark_of(got_from(schedule, sharers.members[static_cast<std::size_t>(place)])));
}

}  // namespace

std::uint64_t signature_of(const Call& call) {
  std::uint64_t hash = 0;
  for (const std::int64_t part :
       {static_cast<std::int64_t>(call.collective), call.bytes.value, call.element_bytes.value,
        std::int64_t{call.root.value}, std::int64_t{call.commutative}})
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15u;
  return hash >> 57;
}

Steps::Steps(const Schedule& schedule) : index_(schedule.tasks.size(), 0) {
  std::vector<int> which(schedule.buffers.size(), 0);
  place_of_buffer_.assign(schedule.buffers.size(), -1);
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
    if (!is_shared(schedule.buffers[b].role)) continue;
    place_of_buffer_[b] = static_cast<int>(buffers_.size());
    buffers_.push_back(take_place(schedule, schedule.buffers[b]));
    which[b] = buffers_.back().which;
  }
  find_exposures(schedule, which);
  std::vector<std::uint64_t> numbers(schedule.buffers.size(), 0);
  bool is_awaited_somewhere = false;
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    const Task& task = schedule.tasks[t];
    if (!is_node_level(task.kind)) continue;
    const Group& sharers = schedule.groups[schedule.buffers[task.source.value].group.value];
    const Group& group = schedule.groups[task.ordinal];
    Step step{.lines = which[task.source.value],
              .number = ++numbers[task.source.value],
              .self = place_of(sharers, schedule.self)};
    index_[t] = static_cast<std::uint32_t>(steps_.size());
    usage_.steps = std::max(usage_.steps, step.number);
    if (task.peer == kLast) {
      follow_last(schedule, task, sharers, group, step);
      steps_.push_back(std::move(step));
      continue;
    }
    const bool is_awaited_here = is_awaited(schedule, task);
    is_awaited_somewhere |= is_awaited_here;
    // Where parcels say whom a rank waits for, it is told also by who has nothing for it, or is in another
    // call.
    step.arrives = is_awaited_here || task.kind == TaskKind::kDeliver;
    for (const Rank member : group.members)
      if (member != schedule.self && waits_for(schedule, task, member))
        step.waited_for.push_back(place_of(sharers, member));
    if (task.kind == TaskKind::kDeliver && !is_later_round(task)) {
      mark_parcels(schedule, sharers, step);
      find_marks(schedule, sharers, step);
    }
    steps_.push_back(std::move(step));
  }
  find_ends(schedule);
  look_ahead(schedule, is_awaited_somewhere);
  take_ends(schedule);
}

// Where nobody waits for a rank that waits for it: one of the two does not wait at all, or each waits for
// lower ones alone. Of a class of parcels, whichever of them are empty: so in gatherv and scatterv, but not
// in an alltoallv in which only one rank happens to send.
void Steps::look_ahead(const Schedule& schedule, bool is_awaited) {
  const auto any_step = [&](auto what) { return std::any_of(steps_.begin(), steps_.end(), what); };
  if (any_step([](const Step& step) { return step.counts; })) return;
  const bool waits = any_step([](const Step& step) { return !step.waited_for.empty(); });
  const auto goes_up = [](const Task& task) {
    return !is_node_level(task.kind) || task.kind == TaskKind::kPrefix;
  };
  const bool goes_one_way =
      is_awaited != waits || std::all_of(schedule.tasks.begin(), schedule.tasks.end(), goes_up);
  if (!goes_one_way) return;
  for (const Step& step : steps_) {
    if (step.lines > 0 || step.number > 1) continue;
    if (is_awaited) ahead_.add_line(Ahead::Use::kWrite, kLineStride * step.self);
    for (const int place : step.waited_for) ahead_.add_line(Ahead::Use::kRead, kLineStride * place);
  }
  writes_ahead_ = is_awaited;
  reads_ahead_ = waits;
}

void Steps::find_ends(const Schedule& schedule) {
  const auto is_in_memory = [&](BufferId buffer) { return place_of_buffer_[buffer.value] >= 0; };
  for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t) {
    const Task& task = schedule.tasks[t];
    if (is_node_level(task.kind)) continue;
    if (writes_target(task.kind) && is_in_memory(task.target)) ends_.push_back({t, Ahead::Use::kWrite});
    if (reads_source(task.kind) && is_in_memory(task.source)) ends_.push_back({t, Ahead::Use::kRead});
  }
}

// Finds out the farthest kind of room that the tasks read or write now, and which cache lines of the rooms
// are to be asked for ahead.
void Steps::take_ends(const Schedule& schedule) {
  usage_.room = Room::kSmall;
  ahead_.forget_rooms();
  for_ends(schedule, [&](Ahead::Use use, Room room, Bytes offset, Bytes size) {
    usage_.room = std::max(usage_.room, room);
    if (room < Room::kLarge && (use == Ahead::Use::kWrite ? writes_ahead_ : reads_ahead_))
      ahead_.add_in_room(use, room, offset, size);
  });
}

std::array<Steps::Extent, kRooms.size()> Steps::written_in_rooms(const Schedule& schedule) const {
  std::array<Extent, kRooms.size()> written{};
  for_ends(schedule, [&](Ahead::Use use, Room room, Bytes offset, Bytes size) {
    Extent& one = written[static_cast<std::size_t>(room)];
    if (use == Ahead::Use::kRead) return;
    one.begin = one.end == Bytes(0) ? offset : std::min(one.begin, offset);
    one.end = std::max(one.end, offset + size);
  });
  return written;
}

void Steps::find_marks(const Schedule& schedule, const Group& sharers, const Step& step) {
  const auto in_steps = static_cast<std::uint32_t>(steps_.size());
  const auto members = static_cast<int>(sharers.members.size());
  for (std::uint32_t i = 0; i < schedule.parcels.outgoing.size(); ++i) {
    const int place = place_of(sharers, schedule.parcels.outgoing[i].peer);
    const int at = mark_place(step.self, place);
    if (place < members && place != step.self && at < kMarks) marks_.push_back({in_steps, i, at});
  }
  for (std::uint32_t i = 0; i < schedule.parcels.incoming.size(); ++i) {
    const int place = place_of(sharers, schedule.parcels.incoming[i].peer);
    const auto& from = step.waited_for;
    if (std::find(from.begin(), from.end(), place) != from.end()) senders_.push_back({in_steps, i, place});
  }
  // As the step waits for them: steps one after another, and each in the order of the places.
  std::sort(senders_.begin(), senders_.end(), [](const Sender& one, const Sender& other) {
    return std::pair(one.step, one.place) < std::pair(other.step, other.place);
  });
}

void Steps::take_parcels(const Schedule& schedule) {
  assert(schedule.tasks.size() == index_.size());
  for (const auto& [step, parcel, at] : marks_)
    set_mark(steps_[step], at, schedule.parcels.outgoing[parcel].size);
  for (const auto& [step, parcel, place] : senders_) {
    steps_[step].waited_for.clear();
    steps_[step].expected.clear();
  }
  for (const auto& [step, parcel, place] : senders_) {
    const Bytes size = schedule.parcels.incoming[parcel].size;
    if (size == Bytes(0)) continue;
    steps_[step].waited_for.push_back(place);
    steps_[step].expected.push_back(mark_of(size));
  }
  take_ends(schedule);
}

Steps::Place Steps::take_place(const Schedule& schedule, const Buffer& buffer) {
  if (buffer.role == BufferRole::kLines) return {.is_lines = true, .which = usage_.lines++};
  const auto [room, offset] = rooms_.place(schedule, buffer);
  return {.is_lines = false, .room = room, .offset = offset};
}

// An owner's addresses stand in its place in the first lines of the group, in the order of its buffers.
void Steps::find_exposures(const Schedule& schedule, const std::vector<int>& which_lines) {
  exposures_.resize(schedule.buffers.size());
  std::map<std::pair<GroupId, Rank>, int> exposed;
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    if (buffer.role != BufferRole::kExposed) continue;
    const auto lines = std::find_if(
        schedule.buffers.begin(), schedule.buffers.end(),
        [&](const Buffer& other) { return other.role == BufferRole::kLines && other.group == buffer.group; });
    exposures_[b] = {.lines = which_lines[static_cast<std::size_t>(lines - schedule.buffers.begin())],
                     .owner = place_of(schedule.groups[buffer.group.value], buffer.owner),
                     .which = exposed[{buffer.group, buffer.owner}]++};
  }
}

}  // namespace weft::node
