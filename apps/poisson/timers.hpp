// SPDX-License-Identifier: BSD-3-Clause
// Where the time of one solve went, in seconds. What is left of the whole is the loop around the parts.
#pragma once

#include <array>
#include <cstddef>

#include "part_times.hpp"

namespace poisson {

enum class Part {
  kInner,           ///< product at points that need nothing of others
  kBoundary,        ///< product at the others
  kPacking,         ///< faces into the buffer that is sent
  kHaloStart,       ///< inside the call that starts the exchange; all of a blocking one
  kHaloWait,        ///< inside MPI_Wait for it
  kUpdates,         ///< of vectors, with the inner product r . r
  kReductionStart,  ///< inside the call that starts a reduction; all of a blocking one
  kReductionWait,   ///< inside MPI_Wait for it
  kWhole
};
inline constexpr std::size_t kPartCount = 9;
inline constexpr std::array<const char*, kPartCount> kPartNames{
    "product_inner", "product_boundary", "packing",        "halo_start", "halo_wait",
    "updates",       "reduction_start",  "reduction_wait", "whole"};

struct Times : app::PartTimes<Part, kPartCount> {
  double exchange() const { return (*this)[Part::kHaloStart] + (*this)[Part::kHaloWait]; }
  double reductions() const { return (*this)[Part::kReductionStart] + (*this)[Part::kReductionWait]; }
  double computation() const {
    return (*this)[Part::kInner] + (*this)[Part::kBoundary] + (*this)[Part::kPacking] +
           (*this)[Part::kUpdates];
  }
};

using app::Timed;

}  // namespace poisson
