// SPDX-License-Identifier: BSD-3-Clause
#include "transform/sized_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "transform/size_class.hpp"

namespace weft {
namespace {

// Shared memory is laid out for the largest size of the class, alike for all its members; what changes is
// where in it something lies.
bool is_resized(const Buffer& buffer) { return !is_shared(buffer.role); }

// Whether a task moves a part of a block from shared memory to shared memory.
bool is_share(const Schedule& structure, const Task& task) {
  if (task.kind != TaskKind::kCopy && task.kind != TaskKind::kReduce) return false;
  return is_shared(structure.buffers[task.source.value].role) &&
         is_shared(structure.buffers[task.target.value].role) &&
         task.size.value % structure.call.bytes.value != 0;
}

// Where a place of the structure is now. From the structure's blocks pieces are taken away, evenly over their
// length: elements, or from long ones cache lines, so that what began at a line still does. So no part is
// longer than it was, and what begins where something ends still does.
class Move {
 public:
  Move(const Call& structure, Bytes bytes)
      : largest_(structure.bytes),
        bytes_(bytes),
        piece_(piece_of(structure)),
        pieces_then_(pieces(largest_)),
        pieces_now_(pieces(bytes_)) {}

  Bytes place(Bytes then) const {
    if (then == Bytes(0) || bytes_ == largest_) return then;
    if (then == largest_) return bytes_;
    const std::int64_t blocks = then / largest_;
    return bytes_ * blocks + place_in_block(then - largest_ * blocks);
  }
  Bytes size(Bytes at, Bytes size) const { return place(at + size) - place(at); }
  // In shared memory, in cells that stay where they are and hold a block each.
  Bytes place_in_cell(Bytes then) const { return cell(then) + place(then - cell(then)); }
  Bytes size_in_cell(Bytes at, Bytes then) const { return size(at - cell(at), then); }

 private:
  Bytes cell(Bytes place) const {
    const Bytes stride = cell_stride(largest_);
    return stride * (place / stride);
  }

  static Bytes piece_of(const Call& structure) {
    const bool is_of_lines =
        structure.bytes > kLargestOfPowers && kCacheLine.value % structure.element_bytes.value == 0;
    return is_of_lines ? kCacheLine : structure.element_bytes;
  }
  // What lies inside of a piece goes with it.
  Bytes place_in_block(Bytes then) const {
    const std::int64_t piece = then / piece_;
    const Bytes begin = begin_of(piece), inside = then - piece_ * piece;
    return inside == Bytes(0) ? begin : std::min(begin + inside, begin_of(piece + 1));
  }
  Bytes begin_of(std::int64_t piece) const {
    return std::min(piece_ * (piece * pieces_now_ / pieces_then_), bytes_);
  }
  std::int64_t pieces(Bytes size) const { return (size + piece_ - Bytes(1)) / piece_; }

  Bytes largest_, bytes_, piece_;
  std::int64_t pieces_then_, pieces_now_;  // of a block
};

// The task nearest to this share that has the same target and is none: fragments use the same cells in turn.
std::optional<std::size_t> nearest_with_target_of(const Schedule& structure, std::size_t share) {
  const auto fits = [&](std::size_t other) {
    const Task& task = structure.tasks[other];
    return writes_target(task.kind) && task.target_range() == structure.tasks[share].target_range() &&
           !is_share(structure, task);
  };
  const std::size_t count = structure.tasks.size();
  for (std::size_t away = 1; away <= share || share + away < count; ++away) {
    if (away <= share && fits(share - away)) return share - away;
    if (share + away < count && fits(share + away)) return share + away;
  }
  return std::nullopt;
}

// A share that comes from a buffer of the rank's, or goes there, is as long as in that task, and lies where
// it did. Any other is one of a block in its cell.
void resize_shares(Schedule& schedule, const Schedule& structure, const Move& move) {
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    const Task& then = structure.tasks[t];
    if (!is_share(structure, then)) continue;
    Task& now = schedule.tasks[t];
    if (const std::optional<std::size_t> other = nearest_with_target_of(structure, t)) {
      now.size = schedule.tasks[*other].size;
      continue;
    }
    now.source_offset = move.place_in_cell(then.source_offset);
    now.target_offset = move.place_in_cell(then.target_offset);
    now.size = move.size_in_cell(then.target_offset, then.size);
  }
}

// The one of the class that a range of the structure belongs to; the last of those that begin where it does,
// which has the range if the others are empty.
std::size_t parcel_at(const std::vector<Parcel>& of_class, Bytes offset) {
  const auto behind = std::upper_bound(of_class.begin(), of_class.end(), offset,
                                       [](Bytes at, const Parcel& parcel) { return at < parcel.offset; });
  assert(behind != of_class.begin());
  return static_cast<std::size_t>(behind - of_class.begin()) - 1;
}

// Into the memory that there is, to which the parts point; number by number, as they were just written: a
// processor waits where it reads in one what it has written in several.
void take_blocks(const std::vector<Parcel>& from, std::vector<Parcel>& into) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    into[i].offset = from[i].offset;
    into[i].size = from[i].size;
  }
}

}  // namespace

NearerPlace::NearerPlace(Bytes most, const Schedule& schedule)
    : most(most), outgoing(schedule.parcels.outgoing.size()), incoming(schedule.parcels.incoming.size()) {
  const auto is_there = [&](BufferId buffer) { return is_shared(schedule.buffers[buffer.value].role); };
  for (const Task& task : schedule.tasks) {
    if (task.kind != TaskKind::kCopy) continue;
    if (is_there(task.target))
      outgoing[parcel_at(schedule.parcels.outgoing, task.source_offset)] = {task.target, task.target_offset};
    if (is_there(task.source))
      incoming[parcel_at(schedule.parcels.incoming, task.target_offset)] = {task.source, task.source_offset};
  }
}

SizedSchedule::SizedSchedule(const Schedule& structure, std::span<const NearerPlace> nearer)
    : structure_(structure), now_(structure) {
  if (has_parcels(structure.call.collective)) find_parcels(nearer);
  else find_numbers();
}

void SizedSchedule::find_numbers() {
  for (std::size_t b = 0; b < now_.buffers.size(); ++b) {
    const Buffer& then = structure_.buffers[b];
    if (!is_resized(then)) continue;
    if (then.role != BufferRole::kScratch) add_range(now_.buffers[b].size, then.offset, then.size);
    add_range(now_.buffers[b].offset, Bytes(0), then.offset);
  }
  for (std::size_t t = 0; t < now_.tasks.size(); ++t) {
    const Task& then = structure_.tasks[t];
    if (is_node_level(then.kind)) continue;  // its ranges are the lines of a group
    const bool source = reads_source(then.kind) && is_resized(structure_.buffers[then.source.value]);
    const bool target = writes_target(then.kind) && is_resized(structure_.buffers[then.target.value]);
    const bool by_target = !source || structure_.buffers[then.source.value].role == BufferRole::kScratch;
    Task& task = now_.tasks[t];
    add_range(task.size,
              target && by_target ? then.target_offset
              : source            ? then.source_offset
                                  : Bytes(0),
              then.size);
    if (source) add_range(task.source_offset, Bytes(0), then.source_offset);
    if (target) add_range(task.target_offset, Bytes(0), then.target_offset);
    has_shares_ = has_shares_ || is_share(structure_, then);
  }
}

void SizedSchedule::add_range(Bytes& now, Bytes begin, Bytes size) {
  const Bytes block = structure_.call.bytes;
  const auto is_whole = [&](Bytes place) { return place == block * (place / block); };
  if (size == Bytes(0)) return;
  if (is_whole(begin) && is_whole(size)) blocks_.push_back({&now, size / block});
  else ranges_.push_back({&now, begin, size});
}

void SizedSchedule::resize(Bytes bytes) {
  if (now_.call.bytes == bytes) return;
  now_.call.bytes = bytes;
  for (const auto& [now, count] : blocks_) *now = bytes * count;
  if (ranges_.empty()) return;
  const Move move(structure_.call, bytes);
  for (const auto& [now, begin, size] : ranges_) *now = move.size(begin, size);
  if (has_shares_) resize_shares(now_, structure_, move);
}

void SizedSchedule::find_parcels(std::span<const NearerPlace> nearer) {
  const auto& [outgoing, incoming] = structure_.parcels;
  for (std::size_t b = 0; b < now_.buffers.size(); ++b) {
    Buffer& buffer = now_.buffers[b];
    if (buffer.role != BufferRole::kExposed) continue;
    if (buffer.owner == now_.self) {
      add_part(outgoing, now_.parcels.outgoing, buffer.offset, buffer.size);
      continue;
    }
    const auto sent = std::find_if(now_.parcels.incoming.begin(), now_.parcels.incoming.end(),
                                   [&](const Parcel& parcel) { return parcel.peer == buffer.owner; });
    assert(sent != now_.parcels.incoming.end());
    sizes_.push_back({&buffer.size, &*sent});
  }
  for (Task& task : now_.tasks) {
    if (reads_source(task.kind) && (task.source == kInput || task.source == kOutput)) {
      const auto which = add_part(outgoing, now_.parcels.outgoing, task.source_offset, task.size);
      if (writes_target(task.kind))
        add_places(nearer, &NearerPlace::outgoing, which, task.target, task.target_offset);
    }
    if (writes_target(task.kind) && task.target == kOutput) {
      const auto which = add_part(incoming, now_.parcels.incoming, task.target_offset, task.size);
      if (reads_source(task.kind))
        add_places(nearer, &NearerPlace::incoming, which, task.source, task.source_offset);
    }
  }
}

std::size_t SizedSchedule::add_part(const std::vector<Parcel>& of_class, const std::vector<Parcel>& parcels,
                                    Bytes& offset, Bytes& size) {
  const std::size_t which = parcel_at(of_class, offset);
  parts_.push_back({&offset, &size, &parcels[which], offset - of_class[which].offset, size});
  return which;
}

// Those of the parcel whose part was added last, if this is an end of it in shared memory.
void SizedSchedule::add_places(std::span<const NearerPlace> nearer,
                               std::vector<NearerPlace::End> NearerPlace::*ends, std::size_t which,
                               BufferId& buffer, Bytes& offset) {
  if (!is_shared(now_.buffers[buffer.value].role)) return;
  if (nearer.empty() || (nearer.front().*ends)[which].buffer == kInput) return;
  in_places_.push_back({&buffer, &offset, parts_.back().parcel, places_.size()});
  for (const NearerPlace& one : nearer) places_.push_back({one.most, (one.*ends)[which]});
  places_.push_back({kAnyBytes, {buffer, offset}});
}

void SizedSchedule::resize(const Parcels& parcels) {
  assert(parcels.outgoing.size() == now_.parcels.outgoing.size());
  assert(parcels.incoming.size() == now_.parcels.incoming.size());
  take_blocks(parcels.outgoing, now_.parcels.outgoing);
  take_blocks(parcels.incoming, now_.parcels.incoming);
  now_.call.bytes = Bytes(0);
  if (knows_all_blocks(now_.call.collective))
    for (const Parcel& parcel : all_blocks(now_.call.collective, parcels)) now_.call.bytes += parcel.size;
  const Participant participant = participant_of(now_);
  now_.buffers[kInput.value].size = input_bytes(participant);
  now_.buffers[kOutput.value].size = output_bytes(participant);
  for (const auto& [offset, size, parcel, then, length] : parts_) {
    const Bytes begin = std::min(then, parcel->size);
    *offset = parcel->offset + begin;
    *size = std::min(begin + length, parcel->size) - begin;
  }
  for (const auto& [now, parcel] : sizes_) *now = parcel->size;
  for (const auto& [buffer, offset, parcel, begin] : in_places_) {
    const Place* place = &places_[begin];
    while (parcel->size > place->most) ++place;
    *buffer = place->end.buffer;
    *offset = place->end.offset;
  }
}

}  // namespace weft
