// SPDX-License-Identifier: BSD-3-Clause
#include "transform/resize.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace weft {
namespace {

// Shared memory is laid out for the largest size of the class, alike for all its members.
bool is_resized(const Buffer& buffer) { return !is_shared(buffer.role); }

}  // namespace

std::optional<Bytes> largest_of_class(const Call& call) {
  constexpr Bytes kSmallest{8}, kLargest{16 << 20};  // behind that a call takes longer than a plan by far
  if (has_parcels(call.collective) || call.bytes <= Bytes(0) || call.bytes > kLargest) return std::nullopt;
  const Bytes power =
      std::max(kSmallest,
               Bytes(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(call.bytes.value)))));
  // Whole elements; and what fits into a line stays there.
  const bool leaves_line = call.bytes <= kLineBytes && power > kLineBytes;
  return leaves_line || power.value % call.element_bytes.value != 0 ? call.bytes : power;
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
  }
}

}  // namespace weft
