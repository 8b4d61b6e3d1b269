// SPDX-License-Identifier: BSD-3-Clause
#include "node/pool.hpp"

#include <algorithm>

namespace weft::node {
namespace {

// What a member says in its word: nothing yet, nothing more, or what comes next.
constexpr std::uint64_t kStays = 0, kLeaves = 1;
constexpr std::uint64_t leaves_at(std::uint64_t next_block) { return kLeaves + next_block; }

bool all_have_left(const Area& area) {
  for (int member = 0; member < area.shape().members; ++member)
    if (area.left(member).load(std::memory_order_acquire) == kStays) return false;
  return true;
}

// Greater than any block that the members took; none where one of them does not know. All have left.
std::optional<std::uint64_t> block_behind_all(const Area& area) {
  std::uint64_t behind = 0;
  for (int member = 0; member < area.shape().members; ++member) {
    const std::uint64_t said = area.left(member).load(std::memory_order_relaxed);
    if (said == kLeaves) return std::nullopt;
    behind = std::max(behind, said - leaves_at(0));
  }
  return behind;
}

}  // namespace

void leave(const Area& first, int member, std::optional<std::uint64_t> next_block) {
  first.left(member).store(next_block ? leaves_at(*next_block) : kLeaves, std::memory_order_release);
}

std::optional<Grant> Pool::take(const AreaShape& shape) {
  if (const auto again = take_again(shape)) return again;
  take_back_what_is_left();
  Grant grant{shape, Bytes(0)};
  const auto piece = leaves_room_for_lines(grant) ? arena_.take(grant.bytes()) : std::nullopt;
  if (!piece) return std::nullopt;
  grant.offset = piece->offset;
  if (!piece->is_new)
    for (const Area& area : grant.areas(*segment_)) area.clear();
  return grant;
}

std::optional<Grant> Pool::take_again(const AreaShape& shape) {
  for (auto left = left_.begin(); left != left_.end(); ++left) {
    const auto areas = left->areas(*segment_);
    if (left->shape != shape || !all_have_left(areas.front())) continue;
    const auto first_block = block_behind_all(areas.front());
    if (!first_block) continue;
    for (const Area& area : areas) area.forget_members();
    const Grant grant{shape, left->offset, *first_block};
    left_.erase(left);
    return grant;
  }
  return std::nullopt;
}

// Few communicators exchange long blocks, and their room is large: a quarter is kept for the lines of many.
bool Pool::leaves_room_for_lines(const Grant& grant) const {
  return grant.shape.slot_bytes == Bytes(0) || arena_.taken() + grant.bytes() <= size_ * 3 / 4;
}

void Pool::take_back_what_is_left() {
  std::erase_if(left_, [&](const Grant& grant) {
    if (!all_have_left(grant.areas(*segment_).front())) return false;
    arena_.give_back(grant.offset, grant.bytes());
    return true;
  });
}

Bytes Pool::taken() {
  take_back_what_is_left();
  return arena_.taken();
}

}  // namespace weft::node
