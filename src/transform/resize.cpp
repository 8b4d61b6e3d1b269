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
  constexpr Bytes kSmallest{8}, kLargest{64 << 10};
  if (has_parcels(call.collective) || call.bytes <= Bytes(0) || call.bytes > kLargest) return std::nullopt;
  const Bytes power =
      std::max(kSmallest,
               Bytes(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(call.bytes.value)))));
  // Whole elements; and what fits into a line stays there.
  const bool leaves_line = call.bytes <= kLineBytes && power > kLineBytes;
  return leaves_line || power.value % call.element_bytes.value != 0 ? call.bytes : power;
}

void resize(Schedule& schedule, Bytes bytes) {
  const Bytes before = schedule.call.bytes;
  if (before == bytes) return;
  const auto scaled = [before, bytes](Bytes size) {
    assert(size.value % before.value == 0);
    return bytes * (size / before);
  };
  schedule.call.bytes = bytes;
  for (Buffer& buffer : schedule.buffers)
    if (is_resized(buffer)) {
      buffer.size = scaled(buffer.size);
      buffer.offset = scaled(buffer.offset);
    }
  for (Task& task : schedule.tasks) {
    if (is_node_level(task.kind)) continue;  // its ranges are the lines of a group
    task.size = scaled(task.size);
    if (is_resized(schedule.buffers[task.source.value])) task.source_offset = scaled(task.source_offset);
    if (is_resized(schedule.buffers[task.target.value])) task.target_offset = scaled(task.target_offset);
  }
}

}  // namespace weft
