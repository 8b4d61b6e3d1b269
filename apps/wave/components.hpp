// SPDX-License-Identifier: BSD-3-Clause
// The nine components of the wave field, where each of them lies in a cell, and which are computed together.
//
// A staggered grid (Madariaga 1976, Virieux 1986): normal stresses lie on the points, everything else half a
// spacing further along those directions that it is named after, so that each difference of neighbours is
// centred where it is needed.
//
//     xx,yy,zz --- vx ---            y
//        |          |               /
//        vz  ----- xz               +-- x
//        |                          |
//                                   z, the depth
//
// A group is what is computed, and sent, at one time: each velocity and each shear stress by itself, the
// normal stresses together, since all of them need the same three derivatives.
#pragma once

#include <array>
#include <span>

#include "grid.hpp"

namespace wave {

enum Component { kVx, kVy, kVz, kXx, kYy, kZz, kXy, kXz, kYz };
inline constexpr int kComponentCount = 9;
inline constexpr int kFirstStress = kXx;
inline constexpr int kStressCount = 6;
inline constexpr std::array<const char*, kComponentCount> kComponentNames{"vx", "vy", "vz", "xx", "yy",
                                                                          "zz", "xy", "xz", "yz"};

/// In which directions a component lies half a spacing beyond its point.
inline constexpr std::array<std::array<bool, 3>, kComponentCount> kStaggered{{{true, false, false},
                                                                              {false, true, false},
                                                                              {false, false, true},
                                                                              {false, false, false},
                                                                              {false, false, false},
                                                                              {false, false, false},
                                                                              {true, true, false},
                                                                              {true, false, true},
                                                                              {false, true, true}}};

/// What is computed and sent together.
enum Group { kGroupVx, kGroupVy, kGroupVz, kGroupXy, kGroupXz, kGroupYz, kGroupNormal };
inline constexpr int kGroupCount = 7;
inline constexpr int kFirstStressGroup = kGroupXy;

inline bool is_velocity(int group) { return group < kFirstStressGroup; }

/// In the order in which they are computed: between a group and the first that needs it there is another one,
/// whose computation hides the transfer.
inline constexpr std::array kVelocityGroups{kGroupVx, kGroupVy, kGroupVz};
inline constexpr std::array kStressGroups{kGroupXy, kGroupNormal, kGroupXz, kGroupYz};

/// The components of a group.
inline std::span<const Component> members_of(int group) {
  static constexpr std::array<Component, 9> kAll{kVx, kVy, kVz, kXy, kXz, kYz, kXx, kYy, kZz};
  return group == kGroupNormal ? std::span(kAll).subspan(6, 3) : std::span(kAll).subspan(group, 1);
}

/// What must have come from the neighbours before a group is computed.
inline std::span<const Group> inputs_of(int group) {
  static constexpr std::array<std::array<Group, 3>, kGroupCount> kInputs{{
      {kGroupXy, kGroupXz, kGroupNormal},
      {kGroupXy, kGroupYz, kGroupNormal},
      {kGroupXz, kGroupYz, kGroupNormal},
      {kGroupVx, kGroupVy},
      {kGroupVx, kGroupVz},
      {kGroupVy, kGroupVz},
      {kGroupVx, kGroupVy, kGroupVz},
  }};
  const bool has_two = !is_velocity(group) && group != kGroupNormal;
  return std::span(kInputs[group]).first(has_two ? 2 : 3);
}

/// Faces of a box: the lower and the upper one along x, y, z, as in MPI's Cartesian neighbourhoods.
inline constexpr int kSideCount = 6;
inline constexpr int kTop = 4;

/// Which component of a group goes over a face: only one of which a derivative across the face is needed; -1
/// if there is none.
inline int sent_over(int group, int side) {
  const int direction = side / 2;
  switch (group) {
    case kGroupXy: return direction == 2 ? -1 : static_cast<int>(kXy);
    case kGroupXz: return direction == 1 ? -1 : static_cast<int>(kXz);
    case kGroupYz: return direction == 0 ? -1 : static_cast<int>(kYz);
    case kGroupNormal: return kXx + direction;
    default: return kVx + group;
  }
}

}  // namespace wave
