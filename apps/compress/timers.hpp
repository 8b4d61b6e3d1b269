// SPDX-License-Identifier: BSD-3-Clause
// Where the time of one run went, on one rank, in seconds.
#pragma once

#include <mpi.h>

#include "timed.hpp"

namespace compress {

struct Times {
  double reading = 0;
  double compressing = 0;
  double waiting = 0;  ///< in the MPI calls of the exchange
  double writing = 0;  ///< rank 0: putting together and writing
};
inline constexpr int kTimeCount = 4;
static_assert(sizeof(Times) == kTimeCount * sizeof(double));

using app::Timed;

}  // namespace compress
