// SPDX-License-Identifier: BSD-3-Clause
#include "transform/resize.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <tuple>

namespace weft {
namespace {

// Shared memory is laid out for the largest size of the class, alike for all its members.
bool is_resized(const Buffer& buffer) { return !is_shared(buffer.role); }

// Whether a task moves a part of a block from shared memory to shared memory.
bool is_share(const Schedule& structure, const Task& task) {
  if (task.kind != TaskKind::kCopy && task.kind != TaskKind::kReduce) return false;
  return is_shared(structure.buffers[task.source.value].role) &&
         is_shared(structure.buffers[task.target.value].role) &&
         task.size.value % structure.call.bytes.value != 0;
}

void resize_shares(Schedule& schedule, const Schedule& structure) {
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    if (!is_share(structure, structure.tasks[t])) continue;
    const Range range = structure.tasks[t].target_range();
    for (std::size_t other = 0; other < schedule.tasks.size(); ++other) {
      const Task& task = structure.tasks[other];
      if (writes_target(task.kind) && task.target_range() == range && !is_share(structure, task))
        schedule.tasks[t].size = schedule.tasks[other].size;
    }
  }
}

constexpr Bytes kLargestForOneself{std::int64_t{1} << 40};

}  // namespace

std::optional<Bytes> largest_of_class(const Call& call) {
  constexpr Bytes kSmallest{8}, kLargest{16 << 20};  // behind that a call takes longer than a plan by far
  if (has_parcels(call.collective) || call.bytes <= Bytes(0) || call.bytes > kLargest) return std::nullopt;
  const Bytes power =
      std::max(kSmallest,
               Bytes(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(call.bytes.value)))));
  // Whole elements; and what fits into a line stays there.
  if (call.bytes <= kLineBytes && power > kLineBytes)
    return kLineBytes / call.element_bytes * call.element_bytes;
  return power.value % call.element_bytes.value != 0 ? call.bytes : power;
}

void resize(Schedule& schedule, const Schedule& structure, Bytes bytes) {
  const Bytes largest = structure.call.bytes, element = structure.call.element_bytes;
  if (schedule.call.bytes == bytes) return;
  // Where a place of the structure is now: whole elements, and what begins where something ends still does.
  const auto moved = [&](Bytes place) {
    if (place == Bytes(0)) return place;  // most are here, or at the end of the first block
    if (place == largest) return bytes;
    const std::int64_t blocks = place / largest, rest = (place - largest * blocks) / element;
    return bytes * blocks + element * (rest * (bytes / element) / (largest / element));
  };
  const auto moved_size = [&](Bytes place, Bytes size) { return moved(place + size) - moved(place); };

  schedule.call.bytes = bytes;
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer then = structure.buffers[b];
    if (!is_resized(then)) continue;
    const bool is_scratch = then.role == BufferRole::kScratch;
    if (!is_scratch) schedule.buffers[b].size = moved_size(then.offset, then.size);
    schedule.buffers[b].offset = moved(then.offset);
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
    task.size = moved_size(place, then.size);
    if (source) task.source_offset = moved(then.source_offset);
    if (target) task.target_offset = moved(then.target_offset);
    has_shares = has_shares || is_share(structure, then);
  }
  if (has_shares) resize_shares(schedule, structure);
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
  const Bytes begin = offset - of_class[which].offset;
  const Bytes end = std::min(begin + size, parcels[which].size);
  return {parcels[which].offset + begin, end - begin};
}

}  // namespace

bool largest_of_class(const Call& call, const Parcels& parcels, Rank self, const Ways& ways,
                      Parcels& of_class) {
  if (!are_different(parcels.outgoing) || !are_different(parcels.incoming)) return false;
  const auto list = [&](const std::vector<Parcel>& from, bool one_for_all, std::vector<Parcel>& into) {
    into.clear();
    Bytes end;
    for (const Parcel& parcel : from) {
      // What a rank has for itself is copied, however long it is.
      const std::optional<Bytes> size = parcel.peer == self && parcel.size > Bytes(0)
                                            ? kLargestForOneself
                                            : ways.largest_alike(parcel.size);
      if (!size) return false;
      into.push_back({parcel.peer, one_for_all ? Bytes(0) : end, *size});
      end += *size;
    }
    return true;
  };
  return list(parcels.outgoing, has_one_for_all(call.collective), of_class.outgoing) &&
         list(parcels.incoming, false, of_class.incoming);
}

void resize(Schedule& schedule, const Schedule& structure, const Parcels& parcels) {
  if (schedule.parcels == parcels) return;
  schedule.parcels = parcels;
  schedule.buffers[kInput.value].size = extent_of(parcels.outgoing);
  schedule.buffers[kOutput.value].size = extent_of(parcels.incoming);
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    const Task& then = structure.tasks[t];
    Task& task = schedule.tasks[t];
    if (reads_source(then.kind) && then.source == kInput)
      std::tie(task.source_offset, task.size) =
          moved(structure.parcels.outgoing, parcels.outgoing, then.source_offset, then.size);
    if (writes_target(then.kind) && then.target == kOutput)
      std::tie(task.target_offset, task.size) =
          moved(structure.parcels.incoming, parcels.incoming, then.target_offset, then.size);
  }
}

}  // namespace weft
