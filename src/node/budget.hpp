// SPDX-License-Identifier: BSD-3-Clause
// Budget: how a node's memory is divided: each rank has an arena, of which one half is for the areas of the
// communicators that take them there, and one for the berths of their persistent operations.
//
// A communicator takes them in the arena of its first member on the node. For most of the large ones that is
// the first rank of the node, whose arena has as much as all others together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/config.hpp"
#include "node/area.hpp"
#include "node/letters.hpp"

namespace weft::node {

inline constexpr int kAreas = 2;  // of a communicator: one for blocking operations, one for non-blocking ones
inline Bytes areas_and_letters(const AreaShape& shape) {
  return shape.size() * kAreas + Letters::size_for(shape.members);
}

// Where an arena lies in the node's segment.
struct ArenaPlace {
  Bytes begin, size;
};
// The arena of a rank, by its number among those on the node; empty where the settings leave none for some.
ArenaPlace arena_place(const NodeSettings& settings, int ranks_on_node, int which);
// How long the arenas of all ranks on a node are together.
Bytes bytes_of_arenas(const NodeSettings& settings, int ranks_on_node);
constexpr Bytes half_of(Bytes arena) { return arena / 2; }
// A room for two fragments that long, one of which is filled while the other is read.
constexpr Bytes room_for_two(Bytes fragment) { return cell_stride(fragment) * 2; }

// What a communicator with so many members on the node would like to have, the best first, where a half of an
// arena has so much. What the settings say, or what so few can use, if an empty half has it twice. An area
// grows with its members, and with more ranks on a node arenas shrink: where it does not fit, as large rooms
// as two communicators may have side by side, or one, with fewer slots if need be. Then smaller and smaller
// rooms, of as many slots or of few; and lines are better than nothing. `in_a_crowd`: ranks of the node
// outnumber its processors; then more slots are what it would like best (decision 21).
std::vector<AreaShape> wanted_shapes(const NodeSettings& settings, int members, Bytes half,
                                     bool in_a_crowd = false);

// Those of them that a communicator may get where so much is taken: rooms of more than 272 KiB go to the
// first of an arena, and to others up to half of what it has for rooms; more slots than usual, up to a
// quarter.
std::span<const AreaShape> still_wanted(std::span<const AreaShape> shapes, Bytes taken, Bytes half);

// Whether the half of an arena of which so much is taken may give areas of this shape as well. Of what is
// left for rooms all but the first, and but the smallest, take a half at most, so that those who come later
// get smaller ones rather than none.
bool may_take(const AreaShape& shape, Bytes taken, Bytes half);

// Per rank and set, of a job's first communicator, with all ranks of its nodes, of which one has so many;
// none if there is not even memory for lines.
std::optional<Bytes> first_rank_bytes(const NodeSettings& settings, int ranks_on_node);

}  // namespace weft::node
