// SPDX-License-Identifier: BSD-3-Clause
#include "node/budget.hpp"

#include <algorithm>

namespace weft::node {

ArenaPlace arena_place(const NodeSettings& settings, int ranks_on_node, int which) {
  constexpr Bytes kWhole{64 << 10};  // pages, wherever
  if (!settings.enabled) return {};
  if (ranks_on_node == 1) return {Bytes(0), settings.memory / kWhole * kWhole};
  const Bytes first = settings.memory / 2 / kWhole * kWhole;
  const Bytes other = first / (ranks_on_node - 1) / kWhole * kWhole;
  if (other == Bytes(0)) return {};
  return which == 0 ? ArenaPlace{Bytes(0), first} : ArenaPlace{first + other * (which - 1), other};
}

Bytes bytes_of_arenas(const NodeSettings& settings, int ranks_on_node) {
  const ArenaPlace last = arena_place(settings, ranks_on_node, ranks_on_node - 1);
  return last.begin + last.size;
}

namespace {

// A quarter is kept for the lines of many.
Bytes for_rooms(Bytes half) { return half * 3 / 4; }

// The room that each member gets if so many communicators share what is kept for large areas. Less than
// kLeastRoom is not worth having: then there is none.
constexpr Bytes kLeastRoom{4 << 10};
Bytes largest_room(const AreaShape& least, Bytes half, int communicators) {
  const Bytes left = (for_rooms(half) / communicators - areas_and_letters(least)) / kAreas;
  const Bytes room = least.rank_bytes + left / (kLargeRooms * least.members);
  return left < Bytes(0) ? Bytes(0) : room / kLeastRoom * kLeastRoom;
}

// Where as many slots as the settings ask for do not fit: few, and among very many ranks the fewest.
constexpr int kFewSlots = 16, kFewestSlots = 8;

AreaShape largest_that_fits(const NodeSettings& settings, int members, int few_slots, Bytes half) {
  for (const int communicators : {2, 1})
    for (const int slots : {settings.slots, few_slots, std::min(few_slots, kFewestSlots)}) {
      const Bytes room = largest_room({members, slots, kLeastRoom}, half, communicators);
      if (room > Bytes(0)) return {members, slots, std::min(room, settings.rank_bytes)};
    }
  return {members, settings.slots, Bytes(0)};
}

// The next smaller room: its cells are half as long, so that the fragments of a block still come out even.
Bytes half_room(Bytes room) { return room_for_two(largest_cell(room / 2) / 2) / kLeastRoom * kLeastRoom; }

// What an alltoall, which wants most, takes for two sets of fragments of 64 KiB: longer ones gain it little.
// For everything else of two ranks it has fragments of 128 KiB.
constexpr Bytes room_for_long_fragments(int members) { return room_for_two(Bytes(64 << 10) * members); }

// What two ranks want for rooms, and most communicators that a program makes for few of its ranks.
constexpr Bytes kMostOfMany = room_for_long_fragments(2);

static_assert(kUsualSlots == kMostNodeSlots, "more than the usual number is never asked for");

// In a crowd whoever has to wait for others lets them go on, but these go no further than there are slots.
// So more of them save switches of processes. Who asks for few means it.
bool may_have_most_slots(const NodeSettings& settings, bool in_a_crowd) {
  return in_a_crowd && settings.slots == kUsualSlots;
}

}  // namespace

std::vector<AreaShape> wanted_shapes(const NodeSettings& settings, int members, Bytes half, bool in_a_crowd) {
  const int few_slots = std::min(settings.slots, kFewSlots);
  AreaShape best{members, settings.slots, std::min(settings.rank_bytes, room_for_long_fragments(members))};
  if (areas_and_letters(best) * 2 > for_rooms(half))
    best = largest_that_fits(settings, members, few_slots, half);
  std::vector<AreaShape> shapes{best};
  if (const AreaShape with_most{members, kMostSlots, best.rank_bytes};
      may_have_most_slots(settings, in_a_crowd) && areas_and_letters(with_most) * 2 <= for_rooms(half))
    shapes.insert(shapes.begin(), with_most);
  for (Bytes room = best.rank_bytes; room > kLeastRoom;) {
    room = std::max(half_room(room), kLeastRoom);
    for (const int slots : {best.slots, std::min(best.slots, few_slots)})
      if (const AreaShape shape{members, slots, room}; shape != shapes.back()) shapes.push_back(shape);
  }
  if (best.rank_bytes > Bytes(0)) shapes.push_back({members, settings.slots, Bytes(0)});
  shapes.push_back({members, few_slots, Bytes(0)});
  return shapes;
}

std::span<const AreaShape> still_wanted(std::span<const AreaShape> shapes, Bytes taken, Bytes half) {
  if (taken == Bytes(0)) return shapes;
  const auto is_too_large = [&](const AreaShape& shape) {
    const Bytes then = taken + areas_and_letters(shape);
    if (shape.slots > kUsualSlots) return then > for_rooms(half) / 4;
    return shape.rank_bytes > kMostOfMany && then > for_rooms(half) / 2;
  };
  return {std::ranges::find_if_not(shapes, is_too_large), shapes.end()};
}

bool may_take(const AreaShape& shape, Bytes taken, Bytes half) {
  const Bytes wanted = areas_and_letters(shape);
  if (shape.rank_bytes == Bytes(0)) return taken + wanted <= half;
  const Bytes left = for_rooms(half) - taken;
  const bool may_have_all = taken == Bytes(0) || shape.rank_bytes <= kLeastRoom;
  return wanted <= (may_have_all ? left : left / 2);
}

std::optional<Bytes> first_rank_bytes(const NodeSettings& settings, int ranks_on_node) {
  const Bytes half = half_of(arena_place(settings, ranks_on_node, 0).size);
  for (const AreaShape& shape : wanted_shapes(settings, ranks_on_node, half))
    if (may_take(shape, Bytes(0), half)) return shape.rank_bytes;
  return std::nullopt;
}

}  // namespace weft::node
