// SPDX-License-Identifier: BSD-3-Clause
// Faces: which values of a group go to which neighbour, and where those that come belong.
//
// Two layers of a box's own points, without corners, into a buffer without gaps: derivatives go along one
// direction at a time, so that nobody needs its neighbours' neighbours. Packing, instead of derived
// datatypes, since a face across x is pieces of eight bytes, which every one-sided put would have to describe
// and send one by one; a put of a buffer is one contiguous transfer, and the receive buffer is free for the
// next long before the ghosts are.
#pragma once

#include <array>
#include <mpi.h>

#include "field.hpp"

namespace wave {

/// Sizes and neighbours, by group and side; groups that send nothing over a side have 0 bytes there.
struct FacePlan {
  std::array<int, kSideCount> neighbours{};  ///< MPI_PROC_NULL where the grid ends
  std::array<std::array<int, kSideCount>, kGroupCount> bytes{};
  std::array<std::array<int, kSideCount>, kGroupCount> offset{};  ///< in a group's buffer
  std::array<int, kGroupCount> buffer_bytes{};

  /// Throws BadInput where a face is larger than MPI counts.
  FacePlan(const Box& box, int number_bytes, MPI_Comm cartesian);
};

/// Points of a face: the two own layers, or the two of ghosts beyond.
Region face_region(const Layout& layout, int side, bool ghosts);

template <typename Real>
void pack(const Field<Real>& field, const Layout& layout, int side, std::byte* out);

template <typename Real>
void unpack(Field<Real>& field, const Layout& layout, int side, const std::byte* in);

}  // namespace wave
