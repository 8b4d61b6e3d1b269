// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/builder.hpp"

#include <algorithm>
#include <cassert>

#include "collective/oracle.hpp"

namespace weft {

Builder::Builder(const Call& call, Rank self, bool in_place, Parcels parcels, Edges edges)
    : has_edges_(edges == Edges::kByAccess) {
  schedule_.call = call;
  schedule_.self = self;
  schedule_.in_place = in_place;
  schedule_.parcels = std::move(parcels);
  schedule_.buffers.reserve(8);
  schedule_.tasks.reserve(16);
  const Participant participant = participant_of(schedule_);
  add_buffer({BufferRole::kInput, input_bytes(participant), {}});
  add_buffer({BufferRole::kOutput, output_bytes(participant), {}});
}

BufferId Builder::add_buffer(Buffer buffer) {
  assert(schedule_.buffers.size() < 255 && "a schedule has at most 255 buffers: use one scratch and cut it");
  schedule_.buffers.push_back(buffer);
  if (has_edges_) pieces_.emplace_back()[Bytes(0)] = {.end = buffer.size};
  return BufferId(static_cast<std::uint8_t>(schedule_.buffers.size() - 1));
}

int Members::place_of(Rank self) const {
  if (rule_) return own_;
  return static_cast<int>(std::find(list_.begin(), list_.end(), self) - list_.begin());
}

Builder::Frame::Frame(Builder& builder, Subgroup subgroup)
    : builder_(builder),
      subgroup_(std::move(subgroup)),
      outer_(builder.frame_),
      outer_place_(builder.place_) {
  const int place = subgroup_.members.place_of(builder.schedule_.self);
  assert(place < subgroup_.call.rank_count && subgroup_.members.at(place) == builder.schedule_.self &&
         "only members write their subgroup's part");
  builder.frame_ = &subgroup_;
  builder.place_ = place;
}

Builder::Frame::~Frame() {
  builder_.frame_ = outer_;
  builder_.place_ = outer_place_;
}

Rank Builder::member(int place) const {
  assert(place >= 0 && place < rank_count());
  return frame_ ? frame_->members.at(place) : Rank(place);
}

std::vector<Rank> Builder::members() const {
  std::vector<Rank> members(static_cast<std::size_t>(rank_count()));
  for (int place = 0; place < rank_count(); ++place) members[static_cast<std::size_t>(place)] = member(place);
  return members;
}

Members Builder::everybody() const {
  if (frame_) return frame_->members;
  return {[](int place) { return Rank(place); }, self()};
}

bool Builder::in_place() const {
  if (!frame_) return schedule_.in_place;
  const Range& inner = frame_->contribution;
  const Range& outer = frame_->output;
  return inner.buffer == outer.buffer && outer.offset <= inner.offset &&
         inner.offset + inner.size <= outer.offset + outer.size;
}

Range Builder::output() const {
  if (frame_) return frame_->output;
  return {kOutput, Bytes(0), schedule_.buffers[kOutput.value].size};
}

Range Builder::blocks(Range whole, int first, int end) const {
  const auto begin_of = [&](int place) {
    return frame_ && frame_->block_begin ? frame_->block_begin(place) : bytes() * place;
  };
  return whole.part(begin_of(first), begin_of(end) - begin_of(first));
}

Range Builder::contribution() const {
  if (frame_) return frame_->contribution;
  if (call().collective == Collective::kBcast) return output();
  const Place place = oracle_of(call().collective).contribution(participant_of(schedule_));
  return {place.in_output ? kOutput : kInput, place.offset, place.size};
}

Range Builder::scratch(Bytes size) { return {add_buffer({BufferRole::kScratch, size, {}}), Bytes(0), size}; }

GroupId Builder::group(std::vector<Rank> members) {
  schedule_.groups.push_back({std::move(members)});
  return GroupId(static_cast<std::uint32_t>(schedule_.groups.size() - 1));
}

GroupId Builder::group_of(const std::vector<Rank>& members) {
  const auto& groups = schedule_.groups;
  const auto at =
      std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.members == members; });
  if (at == groups.end()) return group(members);
  return GroupId(static_cast<std::uint32_t>(at - groups.begin()));
}

Range Builder::shared(GroupId group, Bytes size) {
  return {add_buffer({BufferRole::kShared, size, group}), Bytes(0), size};
}

Range Builder::exposed(GroupId group, int owner, Bytes size, Range own) {
  Buffer buffer{.role = BufferRole::kExposed, .size = size, .group = group, .owner = member(owner)};
  const bool is_own = owner == self();
  if (is_own) {
    assert(own.size == size);
    buffer.of = own.buffer;
    buffer.offset = own.offset;
  }
  const BufferId id = add_buffer(buffer);
  return is_own ? own : Range{id, Bytes(0), size};
}

Range Builder::window(int owner, Bytes size) {
  return {add_buffer({.role = BufferRole::kWindow, .size = size, .owner = member(owner)}), Bytes(0), size};
}

TaskId Builder::issue(const Task& wanted) {
  const TaskId id(static_cast<std::uint32_t>(schedule_.tasks.size()));
  Task& task = schedule_.tasks.emplace_back(wanted);
  task.errand = errand_;
  if (is_message(task.kind)) task.ordinal = messages_.add(task.peer, task.kind);
  if (!has_edges_) return id;
  if (reads_source(task.kind)) note_read(id, task.source_range());
  if (writes_target(task.kind)) note_write(id, task.target_range());
  if (joined_) edges_.emplace_back(TaskId(last_join_ - 1), id);
  return id;
}

TaskId Builder::send(int peer, Range from) {
  if (from.size == Bytes(0)) return {};
  return issue({.kind = TaskKind::kSend,
                .source = from.buffer,
                .peer = member(peer).value,
                .source_offset = from.offset,
                .size = from.size});
}

TaskId Builder::recv(int peer, Range into) {
  if (into.size == Bytes(0)) return {};
  return issue({.kind = TaskKind::kRecv,
                .target = into.buffer,
                .peer = member(peer).value,
                .target_offset = into.offset,
                .size = into.size});
}

TaskId Builder::copy(Range from, Range into) {
  assert(from.size == into.size);
  if (from == into || from.size == Bytes(0)) return {};
  return issue({.kind = TaskKind::kCopy,
                .source = from.buffer,
                .target = into.buffer,
                .source_offset = from.offset,
                .target_offset = into.offset,
                .size = into.size});
}

TaskId Builder::reduce(Range left, Range into) {
  assert(left.size == into.size);
  if (into.size == Bytes(0)) return {};
  return issue({.kind = TaskKind::kReduce,
                .source = left.buffer,
                .target = into.buffer,
                .source_offset = left.offset,
                .target_offset = into.offset,
                .size = into.size});
}

TaskId Builder::signal(int peer) {
  return issue({.kind = TaskKind::kSend, .source = kOutput, .peer = member(peer).value});
}

TaskId Builder::await_signal(int peer) {
  return issue({.kind = TaskKind::kRecv, .target = kOutput, .peer = member(peer).value});
}

Range Builder::lines(GroupId group) {
  const Bytes size = kLineStride * static_cast<std::int64_t>(schedule_.groups[group.value].members.size());
  return {add_buffer({BufferRole::kLines, size, group}), Bytes(0), size};
}

TaskId Builder::node_level(TaskKind kind, Range lines, GroupId group, int leader, Range covers) {
  const TaskId id = issue({.kind = kind,
                           .source = lines.buffer,
                           .peer = leader,
                           .ordinal = group.value,
                           .source_offset = lines.offset,
                           .size = lines.size});
  note_write(id, lines);
  note_write(id, covers);
  return id;
}

TaskId Builder::exchange(Range lines, GroupId group, Range covers) {
  return node_level(TaskKind::kExchange, lines, group, 0, covers);
}
TaskId Builder::deliver(Range lines, GroupId group, Range covers, Bytes moved) {
  return node_level(TaskKind::kDeliver, lines, group, static_cast<int>(moved / kLineStride), covers);
}
TaskId Builder::prefix(Range lines, GroupId group, Range covers) {
  return node_level(TaskKind::kPrefix, lines, group, 0, covers);
}
TaskId Builder::fan_in(Range lines, GroupId group, int leader, Range covers) {
  return node_level(TaskKind::kFanIn, lines, group, leader, covers);
}
TaskId Builder::fan_out(Range lines, GroupId group, int leader, Range covers) {
  return node_level(TaskKind::kFanOut, lines, group, leader, covers);
}

void Builder::cover(TaskId step, Range range) { note_write(step, range); }

TaskId Builder::join() {
  const TaskId id(static_cast<std::uint32_t>(schedule_.tasks.size()));
  const std::uint32_t first = joined_ ? last_join_ - 1 : 0;
  schedule_.tasks.push_back({.kind = TaskKind::kJoin});
  for (std::uint32_t task = first; has_edges_ && task < id.value; ++task)
    edges_.emplace_back(TaskId(task), id);
  last_join_ = id.value + 1;
  joined_ = true;
  return id;
}

void Builder::after(TaskId later, TaskId earlier) {
  if (has_edges_) edges_.emplace_back(earlier, later);
}

// What lies behind `offset` becomes a piece of its own.
Builder::Pieces::iterator Builder::cut(Pieces& pieces, Pieces::iterator at, Bytes offset) {
  const Piece tail = at->second;
  at->second.end = offset;
  return pieces.emplace_hint(std::next(at), offset, tail);
}

template <class Visit>
void Builder::for_pieces(const Range& range, Visit visit) {
  assert(range.offset >= Bytes(0) &&
         range.offset + range.size <= schedule_.buffers[range.buffer.value].size &&
         "range outside its buffer");
  if (range.size == Bytes(0) || !has_edges_) return;
  Pieces& pieces = pieces_[range.buffer.value];
  const Bytes end = range.offset + range.size;
  auto at = std::prev(pieces.upper_bound(range.offset));
  if (at->first < range.offset) at = cut(pieces, at, range.offset);
  for (; at != pieces.end() && at->first < end; ++at) {
    if (at->second.end > end) cut(pieces, at, end);
    visit(at->second);
  }
}

void Builder::note_read(TaskId task, const Range& range) {
  for_pieces(range, [&](Piece& piece) {
    if (piece.writer) edges_.emplace_back(*piece.writer, task);
    readers_.push_back({task, piece.readers});
    piece.readers = static_cast<std::uint32_t>(readers_.size() - 1);
  });
}

void Builder::note_write(TaskId task, const Range& range) {
  for_pieces(range, [&](Piece& piece) {
    for (std::uint32_t place = piece.readers; place != 0; place = readers_[place].before)
      if (readers_[place].task != task) edges_.emplace_back(readers_[place].task, task);
    if (piece.writer && *piece.writer != task) edges_.emplace_back(*piece.writer, task);
    piece.readers = 0;
    piece.writer = task;
  });
}

Schedule Builder::finish(std::string algorithm) && {
  schedule_.algorithm = std::move(algorithm);
  if (has_edges_) set_edges(schedule_, edges_);
  return std::move(schedule_);
}

}  // namespace weft
