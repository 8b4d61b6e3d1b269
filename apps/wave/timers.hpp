// SPDX-License-Identifier: BSD-3-Clause
// Where the time of one run went, in seconds. What is left of the whole is the loop around the parts.
#pragma once

#include <array>
#include <cstddef>

#include "part_times.hpp"

namespace wave {

enum class Part {
  kVelocity,   ///< updates of velocities
  kStress,     ///< updates of stresses
  kEdges,      ///< absorbing layers, and ghosts at the free surface or at walls
  kPacking,    ///< faces into the buffers that are sent, and out of those that came
  kHaloStart,  ///< inside the calls that start an exchange; all of a blocking one
  kHaloWait,   ///< inside the calls that wait for it
  kRecording,  ///< sources, receivers, snapshots
  kWhole
};
inline constexpr std::size_t kPartCount = 8;
inline constexpr std::array<const char*, kPartCount> kPartNames{
    "velocity", "stress", "edges", "packing", "halo_start", "halo_wait", "recording", "whole"};

struct Times : app::PartTimes<Part, kPartCount> {
  double exchange() const { return (*this)[Part::kHaloStart] + (*this)[Part::kHaloWait]; }
  double updates() const { return (*this)[Part::kVelocity] + (*this)[Part::kStress]; }
};

using app::Timed;

}  // namespace wave
