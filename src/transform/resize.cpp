// SPDX-License-Identifier: BSD-3-Clause
#include "transform/resize.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <tuple>

#include "collective/left_by_each.hpp"

namespace weft {
namespace {

constexpr Bytes kSmallest{8}, kLargest{16 << 20};  // behind that a call takes longer than a plan by far
// What is longer is cut into fragments, which should not become much shorter: so its classes are narrower.
constexpr Bytes kLargestOfPowers{64 << 10};

// Shared memory is laid out for the largest size of the class, alike for all its members.
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

// As many elements as a power of two; of a long block a power of two, or a quarter, half or three quarters of
// the way to it.
Bytes rounded_up(Bytes bytes, Bytes element) {
  const auto elements = static_cast<std::uint64_t>(bytes / element);
  const std::uint64_t power = std::bit_ceil(elements);
  const std::uint64_t step = bytes > kLargestOfPowers ? std::max<std::uint64_t>(power / 8, 1) : power;
  return element * static_cast<std::int64_t>((elements + step - 1) / step * step);
}

}  // namespace

std::optional<Bytes> largest_of_class(const Call& call) {
  if (has_parcels(call.collective) || call.bytes <= Bytes(0)) return std::nullopt;
  const Bytes element = call.element_bytes;
  const Bytes rounded = rounded_up(std::max(call.bytes, kSmallest), element);
  if (rounded > kLargest) return std::nullopt;
  // What fits into a line stays there. All of that is one class, but for the shortest, which many programs
  // have alone.
  if (left_by_each(call) <= kLineBytes && rounded > kSmallest)
    return kLineBytes / (left_by_each(call) / call.bytes) / element * element;
  return call.bytes <= kLineBytes && rounded > kLineBytes ? kLineBytes / element * element : rounded;
}

void resize(Schedule& schedule, const Schedule& structure, Bytes bytes) {
  if (schedule.call.bytes == bytes) return;
  const Move move(structure.call, bytes);
  schedule.call.bytes = bytes;
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer then = structure.buffers[b];
    if (!is_resized(then)) continue;
    const bool is_scratch = then.role == BufferRole::kScratch;
    if (!is_scratch) schedule.buffers[b].size = move.size(then.offset, then.size);
    schedule.buffers[b].offset = move.place(then.offset);
  }
  bool has_shares = false;
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    const Task then = structure.tasks[t];
    if (is_node_level(then.kind)) continue;  // its ranges are the lines of a group
    const bool source = reads_source(then.kind) && is_resized(structure.buffers[then.source.value]);
    const bool target = writes_target(then.kind) && is_resized(structure.buffers[then.target.value]);
    const bool by_target = !source || structure.buffers[then.source.value].role == BufferRole::kScratch;
    const Bytes place = target && by_target ? then.target_offset : source ? then.source_offset : Bytes(0);
    Task& task = schedule.tasks[t];
    task.size = move.size(place, then.size);
    if (source) task.source_offset = move.place(then.source_offset);
    if (target) task.target_offset = move.place(then.target_offset);
    has_shares = has_shares || is_share(structure, then);
  }
  if (has_shares) resize_shares(schedule, structure, move);
}

namespace {

bool are_different(const std::vector<Parcel>& parcels) {
  bool grow = true;
  for (std::size_t i = 1; i < parcels.size(); ++i) grow = grow && parcels[i - 1].peer < parcels[i].peer;
  if (grow) return true;
  constexpr std::size_t kMost = 64;  // the others are as fast made anew
  if (parcels.size() > kMost) return false;
  for (auto one = parcels.begin(); one != parcels.end(); ++one)
    if (std::any_of(parcels.begin(), one, [&](const Parcel& other) { return other.peer == one->peer; }))
      return false;
  return true;
}

// The one of the class that a range of the structure belongs to. Empty ones lie where the next one does.
std::size_t parcel_at(const std::vector<Parcel>& of_class, Bytes offset) {
  const auto behind = std::upper_bound(of_class.begin(), of_class.end(), offset,
                                       [](Bytes at, const Parcel& parcel) { return at < parcel.offset; });
  assert(behind != of_class.begin());
  return static_cast<std::size_t>(behind - of_class.begin()) - 1;
}

// What is at this place of the structure's list is here in another one: offset and size.
std::pair<Bytes, Bytes> moved(const std::vector<Parcel>& of_class, const std::vector<Parcel>& parcels,
                              Bytes offset, Bytes size) {
  const std::size_t which = parcel_at(of_class, offset);
  const Bytes begin = std::min(offset - of_class[which].offset, parcels[which].size);
  const Bytes end = std::min(begin + size, parcels[which].size);
  return {parcels[which].offset + begin, end - begin};
}

// What this rank sends, or what it gets from another.
void resize_exposed(Schedule& schedule, const Schedule& structure, std::size_t buffer) {
  const Buffer& then = structure.buffers[buffer];
  Buffer& now = schedule.buffers[buffer];
  if (then.owner != schedule.self) now.size = got_from(schedule, then.owner);
  else
    std::tie(now.offset, now.size) =
        moved(structure.parcels.outgoing, schedule.parcels.outgoing, then.offset, then.size);
}

}  // namespace

// Rounded up; but blocks that all fit into lines stay there. In a line of an allgatherv lies one rank's
// block, in one of a reduce_scatter are the blocks of all.
std::optional<Bytes> largest_of_class(const Call& call, const Parcels& parcels) {
  Bytes longest;
  for (const Parcel& parcel : all_blocks(call.collective, parcels)) longest = std::max(longest, parcel.size);
  if (longest == Bytes(0) || longest > kLargest) return std::nullopt;
  const Bytes element = call.element_bytes;
  const Bytes room =
      call.collective == Collective::kAllgatherv ? kDeliveredLineBytes : kLineBytes / call.rank_count;
  const Bytes in_line = room / element * element;
  if (longest <= in_line) return in_line * call.rank_count;
  return rounded_up(std::max(longest, kSmallest), element) * call.rank_count;
}

Bytes take_largest_of_class(const Call& call, const Parcels& parcels, Rank self, bool in_place, Bytes bytes,
                            Parcels& of_class) {
  of_class = parcels;
  const bool gathers = call.collective == Collective::kAllgatherv;
  std::vector<Parcel>& all = gathers ? of_class.incoming : of_class.outgoing;
  std::vector<Parcel>& own = gathers ? of_class.outgoing : of_class.incoming;
  const auto take = [longest = bytes / call.rank_count](Parcel& parcel, Bytes offset) {
    parcel.offset = offset;
    if (parcel.size > Bytes(0)) parcel.size = longest;
  };
  Bytes end;
  for (Parcel& parcel : all) {
    take(parcel, end);
    end += parcel.size;
  }
  const bool stays = gathers && in_place;  // where it will be
  for (Parcel& parcel : own)
    take(parcel, stays ? all[static_cast<std::size_t>(self.value)].offset : Bytes(0));
  return end;
}

bool largest_of_class(const Call& call, const Parcels& parcels, Rank self, const Ways& ways,
                      Parcels& of_class) {
  if (!are_different(parcels.outgoing) || !are_different(parcels.incoming)) return false;
  const auto list = [&](const std::vector<Parcel>& from, bool one_for_all, std::vector<Parcel>& into) {
    into.clear();
    Bytes end;
    for (const Parcel& parcel : from) {
      const std::optional<Bytes> size = ways.largest_for(parcel, self);
      if (!size) return false;
      into.push_back({parcel.peer, one_for_all ? Bytes(0) : end, *size});
      end += *size;
    }
    return true;
  };
  return list(parcels.outgoing, has_one_for_all(call.collective), of_class.outgoing) &&
         list(parcels.incoming, false, of_class.incoming);
}

bool are_of_class(const Parcels& parcels, const Schedule& structure, const std::optional<Ways>& ways) {
  const Call& call = structure.call;
  const auto are = [&](const std::vector<Parcel>& now, const std::vector<Parcel>& then, auto largest) {
    return std::equal(
        now.begin(), now.end(), then.begin(), then.end(),
        [&](const Parcel& one, const Parcel& alike) { return largest(one) == std::optional(alike.size); });
  };
  if (!knows_all_blocks(call.collective)) {
    const auto by_way = [&](const Parcel& one) { return ways->largest_for(one, structure.self); };
    return ways && are(parcels.outgoing, structure.parcels.outgoing, by_way) &&
           are(parcels.incoming, structure.parcels.incoming, by_way);
  }
  const std::optional<Bytes> bytes = largest_of_class(call, parcels);
  const auto by_longest = [&](const Parcel& one) {
    return std::optional(one.size > Bytes(0) ? *bytes / call.rank_count : Bytes(0));
  };
  return bytes && are(all_blocks(call.collective, parcels), all_blocks(call.collective, structure.parcels),
                      by_longest);
}

void resize(Schedule& schedule, const Schedule& structure, const Parcels& parcels) {
  schedule.call.bytes = Bytes(0);
  if (knows_all_blocks(schedule.call.collective))
    for (const Parcel& parcel : all_blocks(schedule.call.collective, parcels))
      schedule.call.bytes += parcel.size;
  if (schedule.parcels == parcels) return;
  schedule.parcels = parcels;
  const Participant participant = participant_of(schedule);
  schedule.buffers[kInput.value].size = input_bytes(participant);
  schedule.buffers[kOutput.value].size = output_bytes(participant);
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b)
    if (structure.buffers[b].role == BufferRole::kExposed) resize_exposed(schedule, structure, b);
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    const Task& then = structure.tasks[t];
    Task& task = schedule.tasks[t];
    if (reads_source(then.kind) && (then.source == kInput || then.source == kOutput))
      std::tie(task.source_offset, task.size) =
          moved(structure.parcels.outgoing, parcels.outgoing, then.source_offset, then.size);
    if (writes_target(then.kind) && then.target == kOutput)
      std::tie(task.target_offset, task.size) =
          moved(structure.parcels.incoming, parcels.incoming, then.target_offset, then.size);
  }
}

}  // namespace weft
