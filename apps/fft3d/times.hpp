// SPDX-License-Identifier: BSD-3-Clause
// Where a rank's time went, in seconds: 1-D transforms, packing and unpacking, and MPI calls of the
// exchanges.
#pragma once

#include <array>
#include <cstddef>

#include "part_times.hpp"

namespace fft3d {

enum class Part {
  kTransform,    ///< 1-D transforms
  kPack,         ///< to and from messages, turning the axes on the way
  kRow,          ///< MPI_Alltoallv of x and y
  kColumn,       ///< MPI_Alltoallv of y and z
  kColumnStart,  ///< MPI_Ialltoallv
  kColumnWait,   ///< MPI_Wait
};
inline constexpr std::size_t kPartCount = 6;
inline constexpr std::array kPartNames{"transform",       "pack",         "row exchange",
                                       "column exchange", "column start", "column wait"};

struct Times : app::PartTimes<Part, kPartCount> {
  /// In MPI calls of the exchanges.
  double waiting() const {
    return (*this)[Part::kRow] + (*this)[Part::kColumn] + (*this)[Part::kColumnStart] +
           (*this)[Part::kColumnWait];
  }
};

using app::Timed;

}  // namespace fft3d
